#include "harness/measure/known_times.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/base/hash.h"
#include "harness/base/json_reader.h"
#include "harness/report/report_file.h"

namespace gdbench::measure {

namespace {

constexpr const char* kOldestFirst = "oldest_first";
constexpr const char* kExpected = "times of earlier runs";

using NamedTimes = std::vector<std::pair<std::string, double>>;  // in seconds

Result<NamedTimes> read(const std::filesystem::path& file) {
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return NamedTimes();
  JsonDocument document = TRY(JsonDocument::read(file, kExpected));
  try {
    NamedTimes times = document.root().at(kOldestFirst).get<NamedTimes>();
    constexpr double kLongest = 1e7;
    if (std::ranges::all_of(times, [](const auto& time) { return time.second >= 0 && time.second < kLongest; }))
      return times;
  } catch (const Json::exception&) {  // another form
  }
  document.fail(std::string("/") + kOldestFirst, "something else", kExpected);
  return document.error();
}

// What is the same in all runs of a machine, and in those of machines like it.
std::string machine_of(const std::string& environment) {
  const Result<Json> parsed = parse_json(environment);
  if (!parsed.ok() || !parsed->is_object()) return "";
  Json processor = parsed->value("cpu", Json::object());
  for (const char* changing : {"allowed_processors", "frequency_mhz", "governor"}) processor.erase(changing);
  return compact(processor);
}

}  // namespace

KnownTimes::KnownTimes(std::filesystem::path file, const std::string& environment)
    : file_(std::move(file)), machine_(machine_of(environment)) {
  const Result<NamedTimes> times = read(file_);
  if (times.ok()) {
    known_.insert(times->begin(), times->end());
  } else {
    fault_ = times.error().message;
  }
}

std::string KnownTimes::key_of(const std::string& what) const {
  Hash64 hash;
  hash.add(machine_);
  hash.add(what);
  return hexadecimal(hash.value());
}

double KnownTimes::seconds(const std::string& what) const {
  const auto found = known_.find(key_of(what));
  return found == known_.end() ? 0 : found->second;
}

void KnownTimes::set(const std::string& what, double seconds) {
  constexpr double kPerSecond = 1e4;  // so many digits are enough
  set_[key_of(what)] = std::round(seconds * kPerSecond) / kPerSecond;
}

void KnownTimes::keep() const {
  if (file_.empty() || set_.empty()) return;
  const Result<NamedTimes> before = read(file_);  // other runs may have added to it
  NamedTimes times = before.ok() ? before.value() : NamedTimes();
  std::erase_if(times, [this](const auto& time) { return set_.contains(time.first); });
  times.insert(times.end(), set_.begin(), set_.end());
  if (times.size() > kMost) times.erase(times.begin(), times.end() - std::ptrdiff_t{kMost});
  static_cast<void>(report::write_whole(compact(Json{{kOldestFirst, times}}), file_.string()));
}

}  // namespace gdbench::measure
