#include "harness/questions/calibrate/outcome.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/report/report_file.h"

namespace gdbench::calibrate {

namespace {

using report::CalibrationOutcome;

OrderedJson header_of(const report::Calibration& calibration, const std::string& design) {
  return {{"event", "calibration"},         {"launches", calibration.launches},
          {"margin", calibration.margin},   {"confidence", calibration.confidence},
          {"planned", calibration.planned}, {"design", design}};
}

OrderedJson encode(const CalibrationOutcome& outcome) {
  return {{"event", "outcome"},           {"number", outcome.number},          {"workload", outcome.workload},
          {"slowdown", outcome.slowdown}, {"change", name_of(outcome.change)}, {"ratio", outcome.ratio},
          {"low", outcome.interval.low},  {"high", outcome.interval.high},     {"seconds", outcome.seconds}};
}

CalibrationOutcome decode(const OrderedJson& json) {
  CalibrationOutcome outcome;
  outcome.number = json.at("number").get<int>();
  outcome.workload = json.at("workload").get<std::string>();
  outcome.slowdown = json.at("slowdown").get<double>();
  outcome.change = report::find<report::Change>(json.at("change").get<std::string>()).value();
  outcome.ratio = json.at("ratio").get<double>();
  outcome.interval = {json.at("low").get<double>(), json.at("high").get<double>()};
  outcome.seconds = json.at("seconds").get<double>();
  return outcome;
}

// The whole lines of a text.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

Status read_lines(const std::vector<std::string>& lines, const std::string& origin, const OrderedJson& header,
                  report::Calibration& calibration) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = origin + ": line " + std::to_string(i + 1) + ": ";
    const OrderedJson json = OrderedJson::parse(lines[i], nullptr, false);
    if (!json.is_object() || !json.contains("event")) {
      return usage_error(place + "found no event, expected a line of gdbench calibrate");
    }
    if (i == 0 && json != header) {
      return usage_error(place + "found another calibration, expected " + header.dump());
    }
    if (i == 0) continue;
    try {
      calibration.outcomes.push_back(decode(json));
    } catch (const std::exception&) {
      return usage_error(place + "found " + lines[i] + ", expected an outcome");
    }
  }
  return {};
}

}  // namespace

Result<OutcomeFile> OutcomeFile::open(const std::string& path, const std::string& design,
                                      report::Calibration& calibration) {
  OutcomeFile file;
  file.path_ = path;
  const OrderedJson header = header_of(calibration, design);
  std::string kept = header.dump() + "\n";
  if (std::filesystem::exists(path)) {
    const std::vector<std::string> lines = lines_of(TRY(report::read_text(path)));
    TRY(read_lines(lines, one_line(path), header, calibration));
    for (std::size_t i = 1; i < lines.size(); ++i) kept += lines[i] + "\n";
  }
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << kept << std::flush;
  if (!stream) return usage_error(one_line(path) + ": cannot be written");
  return file;
}

Status OutcomeFile::append(const CalibrationOutcome& outcome) {
  std::ofstream stream(path_, std::ios::binary | std::ios::app);
  stream << encode(outcome).dump() << "\n" << std::flush;
  return stream ? Status() : Status(usage_error(one_line(path_) + ": cannot be written"));
}

}  // namespace gdbench::calibrate
