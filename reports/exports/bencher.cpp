#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/hash.h"
#include "reports/exports/exported.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

namespace {

using Json = OrderedJson;

constexpr std::size_t kLongestName = 1024;

// Bencher refuses longer names, and spaces around them.
std::string benchmark_name(const std::string& name) {
  if (name.size() <= kLongestName && name.front() != ' ' && name.back() != ' ') return name;
  Hash64 hash;
  hash.add(name);
  const std::string end = "~" + hexadecimal(hash.value());
  std::size_t length = std::min(name.size(), kLongestName - end.size());
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; };
  while (length < name.size() && continues(name[length])) --length;
  const std::size_t start = std::min(name.find_first_not_of(' '), length);
  return name.substr(start, length - start) + end;
}

void add_measure(Json& measures, const char* name, double nanoseconds) {
  if (std::isfinite(nanoseconds)) measures[name] = {{"value", nanoseconds}};
}

Json measures_of(const report::Summary& summary) {
  Json measures = Json::object();
  add_measure(measures, "latency", summary.step_ns.value);
  const stats::Interval& interval = summary.step_ns.interval;
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) {
    measures["latency"]["lower_value"] = interval.low;
    measures["latency"]["upper_value"] = interval.high;
  }
  add_measure(measures, "first-step", summary.first_step_ns);
  if (summary.ready_ns) add_measure(measures, "ready", *summary.ready_ns);
  return measures;
}

}  // namespace

std::string bencher(const report::Report& report) {
  Json document = Json::object();
  for (const auto& [name, cell] : timed_cells(report)) document[benchmark_name(name)] = measures_of(*cell->summary);
  return document.dump(2) + "\n";
}

}  // namespace gdbench::exports
