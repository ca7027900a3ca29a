#include "harness/base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

#include "harness/base/text.h"
#include "harness/base/unique_descriptor.h"

namespace gdbench {

std::string unreadable_because(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return "no such file";
  if (error) return error.message();
  if (status.type() == std::filesystem::file_type::directory) return "a folder";
  if (status.type() != std::filesystem::file_type::regular) return "something that is no regular file";
  if (access(file.c_str(), R_OK) != 0) return std::strerror(errno);
  return "";
}

Error file_error(const std::filesystem::path& file, const std::string& found, const std::string& expected) {
  return usage_error(one_line(file.string() + ": found " + found + ", expected " + expected));
}

Result<std::string> read_file(const std::filesystem::path& file, const std::string& what, std::uintmax_t max_bytes) {
  const auto refuse = [&](const std::string& found) { return file_error(file, found, what); };
  const std::string reason = unreadable_because(file);
  if (!reason.empty()) return refuse(reason);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) return refuse(error.message());
  if (size > max_bytes) {
    return refuse(std::to_string(size) + " bytes (at most " + std::to_string(max_bytes) + " are read)");
  }
  try {
    std::string bytes(size, '\0');
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return refuse(std::strerror(errno));
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    if (!stream || stream.gcount() != static_cast<std::streamsize>(size)) return refuse("a file that cannot be read");
    return bytes;
  } catch (const std::bad_alloc&) {
    return failure(one_line(file.string()) + ": no memory for its " + std::to_string(size) + " bytes");
  }
}

Status refuse_link_of_others(const std::filesystem::path& file) {
  struct stat information {};
  if (lstat(file.c_str(), &information) != 0 || !S_ISLNK(information.st_mode)) return {};
  if (information.st_uid == 0 || information.st_uid == geteuid()) return {};
  return file_error(file, "a symbolic link of user " + std::to_string(information.st_uid),
                    "a file, or a link of your own");
}

bool is_gone_process(std::string_view number) {
  const auto process = number_of<pid_t>(number);
  return process && *process > 0 && kill(*process, 0) != 0 && errno == ESRCH;
}

std::optional<std::int64_t> cached_bytes(const std::filesystem::path& file) {
  const UniqueDescriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return std::nullopt;
  struct stat information {};
  void* mapping = MAP_FAILED;
  if (fstat(descriptor.number(), &information) == 0 && information.st_size > 0) {
    mapping =
        mmap(nullptr, static_cast<std::size_t>(information.st_size), PROT_READ, MAP_SHARED, descriptor.number(), 0);
  }
  if (mapping == MAP_FAILED) return std::nullopt;
  const auto size = static_cast<std::size_t>(information.st_size);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((size + page - 1) / page);
  const bool known = mincore(mapping, size, resident.data()) == 0;
  munmap(mapping, size);
  if (!known) return std::nullopt;
  const auto pages =
      std::count_if(resident.begin(), resident.end(), [](unsigned char bits) { return (bits & 1U) != 0; });
  return std::min<std::int64_t>(information.st_size,
                                static_cast<std::int64_t>(pages) * static_cast<std::int64_t>(page));
}

std::uintmax_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINTMAX_MAX;
  return static_cast<std::uintmax_t>(pages) * static_cast<std::uintmax_t>(page_bytes);
}

}  // namespace gdbench
