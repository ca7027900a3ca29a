#include "harness/verify/trajectory_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <ranges>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/hash.h"

namespace gdbench::verify {

namespace {

namespace fs = std::filesystem;

void add_tensors(const std::vector<std::vector<double>>& tensors, Hash64& hash) {
  for (const std::vector<double>& tensor : tensors) hash.add(tensor.data(), tensor.size() * sizeof(double));
}

// Everything that a reference trajectory depends on. GDBENCH_REFERENCE_HASH is that of this library's sources.
std::string key_of(const std::string& identity, const scenario::State& start) {
  Hash64 hash;
  hash.add(&start.step, sizeof start.step);
  add_tensors(start.parameters, hash);
  add_tensors(start.slots, hash);
  add_tensors({start.loss_scaling}, hash);
  return std::string(GDBENCH_REFERENCE_HASH " ") + identity + " " + hexadecimal(hash.value());
}

// Text, or numbers that have no bytes which mean nothing.
template <class Values>
concept PlainValues = std::ranges::contiguous_range<Values> &&
    (std::is_same_v<std::ranges::range_value_t<Values>, char> ||
     std::is_same_v<std::ranges::range_value_t<Values>, float> ||
     std::is_same_v<std::ranges::range_value_t<Values>, double>);

std::string checksum_of(std::string_view bytes) {
  Hash64 hash;
  hash.add(bytes);
  return hexadecimal(hash.value());
}

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / (checksum_of(key) + kTrajectorySuffix);
}

// A long double is the sum of so many doubles: of two on x86-64, of three on AArch64. Of those that come from doubles
// all but the first are 0.
constexpr int kPartsOfLongDouble =
    (std::numeric_limits<long double>::digits - 1) / std::numeric_limits<double>::digits + 1;

class Writer {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <PlainValues Values>
  void add(const Values& values) {
    add(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof *values.data());
  }
  void add(std::vector<long double> values) {
    std::vector<double> part(values.size());
    for (int i = 0; i < kPartsOfLongDouble; ++i) {
      const bool all_zero = std::all_of(values.begin(), values.end(), [](long double value) { return value == 0; });
      if (i > 0 && all_zero) part.clear();
      for (std::size_t j = 0; j < part.size(); ++j) {
        part[j] = static_cast<double>(values[j]);
        values[j] -= static_cast<long double>(part[j]);
      }
      add(part);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Of bytes whose checksum was right; all the same it never reads beyond their end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void read(T& value) {
    static_assert(std::is_arithmetic_v<T>);
    copy(&value, 1);
  }
  template <PlainValues Values>
  void read(Values& values) {
    values.resize(size_of_next(sizeof *values.data()));
    copy(values.data(), values.size());
  }
  void read(std::vector<long double>& values) {
    std::vector<double> part;
    read(part);
    values.assign(part.begin(), part.end());
    for (int i = 1; i < kPartsOfLongDouble; ++i) {
      read(part);
      if (part.size() != values.size()) continue;
      for (std::size_t j = 0; j < values.size(); ++j) values[j] += static_cast<long double>(part[j]);
    }
  }
  // All was there, and nothing else.
  bool ok() const { return ok_ && bytes_.empty(); }

 private:
  std::size_t size_of_next(std::size_t element) {
    std::size_t size = 0;
    read(size);
    if (size > bytes_.size() / element) ok_ = false;
    return ok_ ? size : 0;
  }
  template <class T>
  void copy(T* target, std::size_t count) {
    if (count > bytes_.size() / sizeof(T)) ok_ = false;
    if (!ok_ || count == 0) return;
    std::memcpy(target, bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
  }

  std::string_view bytes_;
  bool ok_ = true;
};

// Calls visit(fields...) with what a file holds, in its order; the start's tensors are the caller's.
template <class Visit, class AnyTensor>
void visit_tensor(const Visit& visit, AnyTensor& tensor) {
  visit(tensor.name, tensor.rows, tensor.columns, tensor.values, tensor.tolerance, tensor.scale,
        tensor.entry_tolerances);
}
template <class Visit, class AnyReferenceTrajectory>
void visit_reference(const Visit& visit, AnyReferenceTrajectory& reference) {
  visit(reference.steps, reference.sampled, reference.evaluated, reference.start.step, reference.losses,
        reference.initial_loss, reference.final_loss, reference.loss_tolerance, reference.bfloat16_parameters,
        reference.loss_scaling);
}

constexpr std::size_t kChecksumSize = 16;

// One file: the key, the reference trajectory, the number of its tensors and those, and a checksum of all that.
std::string encode(const std::string& key, const ReferenceTrajectory& reference) {
  Writer writer;
  const auto write = [&](const auto&... fields) { (writer.add(fields), ...); };
  writer.add(key);
  visit_reference(write, reference);
  writer.add(reference.tensors.size());
  for (const ExpectedTensor& tensor : reference.tensors) visit_tensor(write, tensor);
  std::string bytes = writer.take();
  return bytes + checksum_of(bytes);
}

std::optional<ReferenceTrajectory> decode(std::string_view bytes, const std::string& key,
                                          const scenario::State& start) {
  if (bytes.size() < kChecksumSize) return std::nullopt;
  const std::string_view checksum = bytes.substr(bytes.size() - kChecksumSize);
  bytes.remove_suffix(kChecksumSize);
  if (checksum != checksum_of(bytes)) return std::nullopt;
  Reader reader(bytes);
  const auto read = [&](auto&... fields) { (reader.read(fields), ...); };
  std::string found;
  reader.read(found);
  if (found != key) return std::nullopt;
  ReferenceTrajectory reference;
  reference.start = start;
  visit_reference(read, reference);
  std::size_t tensors = 0;
  reader.read(tensors);
  if (tensors != start.parameters.size()) return std::nullopt;
  reference.tensors.resize(tensors);
  for (ExpectedTensor& tensor : reference.tensors) visit_tensor(read, tensor);
  if (!reader.ok()) return std::nullopt;
  return reference;
}

}  // namespace

std::optional<ReferenceTrajectory> TrajectoryCache::find(const std::string& identity,
                                                         const scenario::State& start) const {
  if (folder_.empty()) return std::nullopt;
  const std::string key = key_of(identity, start);
  const fs::path file = file_of(folder_, key);
  const Result<std::string> bytes = read_file(file, "a reference trajectory", max_bytes_);
  if (!bytes.ok()) return std::nullopt;
  std::optional<ReferenceTrajectory> reference = decode(bytes.value(), key, start);
  std::error_code ignored;
  if (reference) fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // it is in use
  return reference;
}

void TrajectoryCache::keep(const std::string& identity, const scenario::State& start,
                           const ReferenceTrajectory& reference) const {
  if (folder_.empty()) return;
  const std::string key = key_of(identity, start);
  const std::string bytes = encode(key, reference);
  if (bytes.size() > max_bytes_) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path file = file_of(folder_, key);
  const fs::path beside = file.string() + "." + std::to_string(getpid());
  std::ofstream stream(beside, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) fs::rename(beside, file, error);
  if (!stream || error) fs::remove(beside, error);
  make_room();
}

void TrajectoryCache::make_room() const {
  struct File {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().find(kTrajectorySuffix) == std::string::npos) continue;
    std::error_code ignored;
    const std::uintmax_t bytes = entry->file_size(ignored);
    const fs::file_time_type used = entry->last_write_time(ignored);
    if (ignored) continue;  // somebody else took it away
    files.push_back({used, bytes, entry->path()});
    total += bytes;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= max_bytes_) return;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

std::filesystem::path default_cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "gdbench/reference";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache/gdbench/reference";
  return {};
}

}  // namespace gdbench::verify
