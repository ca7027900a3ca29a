#include "harness/verify/trajectory_cache.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/kept_files.h"

namespace gdbench::verify {

// What is kept but the start's tensors, which are the caller's, and what has as many numbers as a tensor: those are
// kept as bytes, for CBOR's arrays of numbers take ten times as long to read.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExpectedTensor, name, rows, columns, tolerance, scale)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReferenceTrajectory, steps, sampled, evaluated, tensors, losses, initial_loss,
                                   final_loss, loss_tolerance, bfloat16_parameters, loss_scaling)

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

std::string checksum_of(std::string_view bytes) {
  Hash64 hash;
  hash.add(bytes);
  return hexadecimal(hash.value());
}

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / (checksum_of(key) + kTrajectorySuffix);
}

template <class Number>
Json bytes_of(const std::vector<Number>& numbers) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return Json::binary({bytes, bytes + numbers.size() * sizeof(Number)});
}

template <class Number>
std::vector<Number> numbers_of(const Json& json) {
  const Json::binary_t& bytes = json.get_binary();
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

// A long double is the sum of up to three doubles, and of two on x86-64. Of those that come from doubles all but the
// first are 0, and are left out.
Json parts_of(std::vector<long double> values) {
  Json parts = Json::array();
  do {
    const std::vector<double> part(values.begin(), values.end());
    for (std::size_t i = 0; i < part.size(); ++i) values[i] -= static_cast<long double>(part[i]);
    parts.push_back(bytes_of(part));
  } while (parts.size() < 3 && std::ranges::any_of(values, [](long double rest) { return rest != 0; }));
  return parts;
}

std::vector<long double> sum_of(const Json& parts) {
  std::vector<long double> values;
  for (const Json& json : parts) {
    const std::vector<double> part = numbers_of<double>(json);
    values.resize(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) values[i] += static_cast<long double>(part[i]);
  }
  return values;
}

// One file: CBOR of the key and the reference trajectory, and a checksum of that.
constexpr std::size_t kChecksumSize = 16;

std::string encode(const std::string& key, const ReferenceTrajectory& reference) {
  Json json = reference;
  json["key"] = key;
  json["first_step"] = reference.start.step;
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    json["tensors"][p]["values"] = parts_of(reference.tensors[p].values);
    json["tensors"][p]["entry_tolerances"] = bytes_of(reference.tensors[p].entry_tolerances);
  }
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes + checksum_of(bytes);
}

std::optional<ReferenceTrajectory> decode(std::string_view bytes, const std::string& key,
                                          const scenario::State& start) {
  const std::size_t size = std::max(bytes.size(), kChecksumSize) - kChecksumSize;
  if (bytes.substr(size) != checksum_of(bytes.substr(0, size))) return std::nullopt;
  try {
    const Json json = Json::from_cbor(bytes.substr(0, size));
    if (json.at("key") != key) return std::nullopt;
    ReferenceTrajectory reference = json;
    if (reference.tensors.size() != start.parameters.size()) return std::nullopt;
    reference.start = start;
    reference.start.step = json.at("first_step");
    for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
      reference.tensors[p].values = sum_of(json.at("tensors")[p].at("values"));
      reference.tensors[p].entry_tolerances = numbers_of<float>(json.at("tensors")[p].at("entry_tolerances"));
    }
    return reference;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
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
  const fs::path partial = file.string() + "." + std::to_string(getpid());
  std::ofstream stream(partial, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) fs::rename(partial, file, error);
  if (!stream || error) fs::remove(partial, error);
  keep_recent(folder_, kTrajectorySuffix, max_bytes_);
}

}  // namespace gdbench::verify
