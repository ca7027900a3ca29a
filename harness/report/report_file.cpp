#include "harness/report/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "harness/base/byte_source.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/report/journal.h"

namespace gdbench::report {

namespace {

namespace fs = std::filesystem;

void append_text(const OrderedJson& json, std::size_t indent, std::string& text) {
  if (std::none_of(json.begin(), json.end(), [](const OrderedJson& value) { return value.is_structured(); })) {
    text += compact(json);
    return;
  }
  const std::string margin(indent + 2, ' ');
  text += json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& entry : json.items()) {
    if (!first) text += ",\n";
    first = false;
    text += margin;
    if (json.is_object()) text += compact(OrderedJson(entry.key())) + ": ";
    append_text(entry.value(), indent + 2, text);
  }
  text.append("\n").append(indent, ' ').append(json.is_object() ? "}" : "]");
}

constexpr const char* kPartial = ".partial-";  // and the process that writes it

// What processes that were killed as they wrote this file have left next to it.
void remove_left_behind(const fs::path& path) {
  const std::string prefix = path.filename().string() + kPartial;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::absolute(path).parent_path(), ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && is_gone_process(std::string_view(name).substr(prefix.size()))) {
      fs::remove(entry.path(), ignored);
    }
  }
}

}  // namespace

Error cannot_be_written(const std::string& path, const std::string& reason) {
  return failure(path + ": cannot be written: " + reason);
}

std::string to_text(const OrderedJson& json) {
  std::string text;
  append_text(json, 0, text);
  text += "\n";
  return text;
}

Result<std::string> read_text(const std::string& path) {
  return read_bytes(path, "a report or a journal of gdbench", physical_memory());
}

Status write_all(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(std::strerror(errno));
    written += static_cast<std::size_t>(count);
  }
  return {};
}

Result<Report> read_report(const std::string& path) {
  const std::string text = TRY(read_text(path));
  if (is_journal(text)) return parse_journal(text, path);
  Result<Json> json = parse_json(text);
  if (!json.ok()) return usage_error(path + ": " + json.error().message);
  escape_controls(json.value());
  return from_json(json.value(), path);
}

Status write_report(const Report& report, const std::string& path) {
  std::string text;
  try {
    text = to_text(to_json(report));
  } catch (const std::exception& error) {
    return cannot_be_written(path, error.what());
  }
  return write_whole(text, path);
}

Status write_whole(const std::string& text, const std::string& path) {
  // A folder that may be written does not make a file in it one that may be replaced.
  if (access(path.c_str(), W_OK) != 0 && errno != ENOENT) return cannot_be_written(path, std::strerror(errno));
  remove_left_behind(path);
  const std::string temporary = path + kPartial + std::to_string(getpid());
  unlink(temporary.c_str());  // a link, say, that another process made
  UniqueDescriptor descriptor(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) return cannot_be_written(path, std::strerror(errno));
  Status status = write_all(descriptor.number(), text);
  if (status.ok() && fsync(descriptor.number()) != 0) status = failure(std::strerror(errno));
  if (close(descriptor.release()) != 0 && status.ok()) status = failure(std::strerror(errno));
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = failure(std::strerror(errno));
  if (status.ok()) return status;
  unlink(temporary.c_str());
  return cannot_be_written(path, status.error().message);
}

}  // namespace gdbench::report
