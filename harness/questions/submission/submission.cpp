#include "harness/questions/submission/submission.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/base/byte_source.h"
#include "harness/base/file.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/measure/trust.h"
#include "harness/report/environment.h"
#include "harness/report/journal.h"
#include "harness/report/report_file.h"

namespace gdbench::submission {

namespace {

using report::Cell;
using report::CellState;

// Functions of the C library differ in the last digit.
bool is_same_number(double a, double b) {
  constexpr double kTolerance = 1e-6;
  return a == b || std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

std::string difference_between(const Json& stored, const Json& computed, const std::string& place);

std::string difference_of_members(const Json& stored, const Json& computed, const std::string& place) {
  for (const auto& [key, value] : stored.items()) {
    const std::string below = cat(place, "/", pointer_part(key));
    if (!computed.contains(key)) return cat(below, ": found ", describe(value), ", which the samples do not give");
    std::string difference = difference_between(value, computed[key], below);
    if (!difference.empty()) return difference;
  }
  return "";
}

// The first place at which a report says other than what is computed of it; empty where there is none. Keys that it
// does not have are not missed.
std::string difference_between(const Json& stored, const Json& computed, const std::string& place) {
  if (stored.is_object() && computed.is_object()) return difference_of_members(stored, computed, place);
  if (stored.is_array() && computed.is_array() && stored.size() == computed.size()) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      std::string difference = difference_between(stored[i], computed[i], cat(place, "/", i));
      if (!difference.empty()) return difference;
    }
    return "";
  }
  const bool is_same = stored.is_number() && computed.is_number()
                           ? is_same_number(stored.get<double>(), computed.get<double>())
                           : stored == computed;
  return is_same ? "" : cat(place, ": found ", describe(stored), ", the samples give ", describe(computed));
}

std::string fault_of_run(const report::Run& run) {
  if (run.status != "complete" && run.status != "interrupted") {
    return cat("run/status: found ", run.status, ", expected complete or interrupted");
  }
  return run.quick ? "run/quick: found true, expected false: a quick run decides nothing" : "";
}

std::string fault_of_revision(const report::Report& report) {
  const std::string revision = report::revision_of(Json::parse(report.environment));
  if (revision.empty()) return "environment/build/git_revision: found none, expected one that others can build";
  return revision.find(' ') == std::string::npos ? ""
                                                 : cat("environment/build: found ", revision,
                                                       ", expected a revision without changes, that others can build");
}

// Of a cell that claims a time.
std::string fault_of_verification(const Cell& cell) {
  if (!cell.ranked) return "";
  if (!cell.verification) return "found a time without a verification";
  for (const report::TensorCheck& tensor : cell.verification->tensors) {
    if (tensor.error <= tensor.tolerance) continue;
    return cat("found a time, though ", tensor.name, " is off by more than its tolerance");
  }
  return "";
}

// A timed block is a part of its request.
std::string fault_of_samples(const Cell& cell) {
  constexpr double kForgiven = 1.01;  // two clocks
  const auto is_impossible = [](const report::Sample& sample) {
    return sample.real_ns * static_cast<double>(sample.steps) > kForgiven * sample.request_ns;
  };
  const auto sample = std::ranges::find_if(cell.samples, is_impossible);
  if (sample == cell.samples.end()) return "";
  return cat("found a block of ", sample->steps, " steps that takes longer than its request (launch ", sample->launch,
             ", round ", sample->round, ")");
}

std::string fault_of_cells(const report::Report& report) {
  bool is_any_timed = false;
  for (const Cell& cell : report.cells) {
    if (cell.status.state != CellState::ok || !cell.summary) continue;
    is_any_timed = true;
    for (const std::string& fault :
         {fault_of_verification(cell), fault_of_samples(cell), measure::untrusted_for_ceiling(report, cell)}) {
      if (!fault.empty()) return cat("cells, ", cell.id, ": ", fault);
    }
  }
  return is_any_timed ? "" : "cells: found none with a time, expected one at least";
}

constexpr std::array<std::pair<const char*, const char*>, 2> kVendors = {
    {{"GenuineIntel", "intel"}, {"AuthenticAMD", "amd"}}};
// Of a processor's name, what says nothing about it.
constexpr const char* kEmptyWords[] = {"r", "tm", "c", "cpu", "processor", "core"};

// "AMD EPYC 7R32 48-Core Processor" -> "amd-epyc-7r32".
std::string words_of_model(const std::string& model) {
  std::vector<std::string> words;
  std::istringstream parts(address_part(model.substr(0, model.find('@'))));
  for (std::string word; std::getline(parts, word, '-');) {
    if (word == "core" && !words.empty() && number_of<int>(words.back())) words.pop_back();
    if (std::ranges::find(kEmptyWords, word) == std::end(kEmptyWords)) words.push_back(word);
  }
  return joined(words, "-");
}

// Whatever a report says.
std::string as_name(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  const std::string name = address_part(address_part(text).substr(0, kLongest));
  return name.empty() ? "unknown" : name;
}

// "--out /a/b/x.json" -> "--out x.json". A path begins behind what may stand before one and ends in the same way;
// behind what closes something there is none, as in a cell's id, "s[rows=10]/hand/naive".
std::string without_folders(const std::string& text) {
  constexpr std::string_view kBorders = " \t\n\"'=:,;()[]<>";
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBorders, begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool may_be_path = begin == 0 || std::string_view(")]>").find(text[begin - 1]) == std::string_view::npos;
    const std::size_t last = may_be_path && word.starts_with('/') ? word.rfind('/') : 0;
    out += last > 0 ? word.substr(last + 1) : word;
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return out;
}

// Every number with a fraction to so many digits, wherever it stands.
void round_to(int digits, OrderedJson& json) {
  if (json.is_number_float()) {
    json = std::strtod(formatted("%.*g", digits, json.get<double>()).c_str(), nullptr);
  } else if (json.is_structured()) {
    for (auto& value : json) round_to(digits, value);
  }
}

// What was measured, to six digits, of which no clock is sure; and what is computed of it anew, to nine. A report is
// half as large then.
Result<OrderedJson> rounded(const report::Report& report) {
  constexpr int kMeasuredDigits = 6;
  constexpr int kComputedDigits = 9;
  OrderedJson measured = report::to_json(report);
  for (OrderedJson& cell : measured["cells"]) {
    for (const char* const key : {"samples", "launches", "profile", "other_profiles", "target"}) {
      if (cell.contains(key)) round_to(kMeasuredDigits, cell[key]);
    }
  }
  if (measured.contains("ceilings")) round_to(kMeasuredDigits, measured["ceilings"]);
  report::Report again = TRY(report::from_json(Json(measured), "the report"));
  analysis::summarise(again);
  OrderedJson computed = report::to_json(again);
  for (auto& entry : computed.items()) {
    if (entry.key() != "scenarios") round_to(kComputedDigits, entry.value());
  }
  return computed;
}

void remove_folders(OrderedJson& json) {
  if (json.is_string()) {
    json = without_folders(json.get<std::string>());
  } else if (json.is_structured()) {
    for (auto& value : json) remove_folders(value);
  }
}

// Of a report's JSON. Errors, which name `origin`: no report, or a figure that the samples do not give.
Result<report::Report> evidence_of(Json stored, const std::string& origin) {
  report::Report report = TRY(report::from_json(stored, origin));
  analysis::summarise(report);
  stored.erase("schema_version");
  stored.erase("document");
  const std::string difference = difference_between(stored, Json(report::to_json(report)), "");
  if (!difference.empty()) return usage_error(one_line(cat(origin, ": ", difference)));
  return report;
}

}  // namespace

Result<report::Report> read_evidence(const std::string& file) {
  const std::string text = TRY(report::read_text(file));
  if (report::is_journal(text)) return file_error(file, "a journal", "a report (gdbench report FILE --json makes one)");
  Result<Json> stored = parse_json(text);
  if (!stored.ok()) return usage_error(cat(file, ": ", stored.error().message));
  escape_controls(stored.value());
  return evidence_of(std::move(stored).value(), file);
}

std::vector<std::string> faults_of(const report::Report& report) {
  std::vector<std::string> faults;
  for (const std::string& fault : {fault_of_run(report.run), fault_of_revision(report), fault_of_cells(report)}) {
    if (!fault.empty()) faults.push_back(fault);
  }
  return faults;
}

std::vector<std::string> spoiled_by(const report::Report& report) {
  std::vector<std::string> conditions;
  if (!report.conditions) return conditions;
  for (const report::Condition& condition : *report.conditions) {
    if (condition.severity == report::Severity::warning) {
      conditions.push_back(cat(condition.name, ": ", condition.found));
    }
  }
  return conditions;
}

std::string machine_of(const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  std::string name = words_of_model(report::text_at(environment, "/cpu/model"));
  const std::string vendor = report::text_at(environment, "/cpu/vendor");
  const auto known = std::ranges::find(kVendors, vendor, [](const auto& row) { return std::string_view(row.first); });
  const std::string maker = known == kVendors.end() ? words_of_model(vendor) : known->second;
  if (!maker.empty() && !name.starts_with(maker)) name = cat(maker, "-", name);
  const bool has_number = std::ranges::any_of(name, [](char c) { return c >= '0' && c <= '9'; });
  for (const char* const key : {"/cpu/family", "/cpu/number"}) {
    const Json::json_pointer place(key);
    if (has_number || !environment.contains(place) || !environment[place].is_number_integer()) continue;
    name += cat("-", environment[place].get<int>());
  }
  return as_name(name);
}

std::string name_of(const report::Report& report) {
  constexpr std::size_t kDay = 10;
  constexpr std::size_t kRevision = 7;
  const std::string matrix = report.run.matrix.substr(report.run.matrix.rfind('/') + 1);
  return as_name(cat(matrix.substr(0, matrix.find(".json")), "-", report.run.started_at.substr(0, kDay), "-",
                     report::revision_of(Json::parse(report.environment), kRevision)));
}

Result<std::string> packed(report::Report report, const std::string& measured_by) {
  if (!measured_by.empty()) report.run.measured_by = measured_by;
  OrderedJson json = TRY(rounded(report));
  remove_folders(json);
  OrderedJson& environment = json["environment"];
  // A kernel's own name behind its number may be its company's.
  if (environment.contains("kernel") && environment["kernel"].is_string()) {
    const std::string kernel = environment["kernel"];
    environment["kernel"] = kernel.substr(0, kernel.find('-'));
  }
  TRY(evidence_of(Json(json), "what would be kept"));
  std::string bytes = TRY(compressed(compact(json)));
  if (bytes.size() > kMostBytes) {
    return usage_error(cat("found ", bytes.size(), " bytes once compressed, expected at most ", kMostBytes,
                           ": measure with fewer launches (--launches 10) or fewer scenarios"));
  }
  return bytes;
}

}  // namespace gdbench::submission
