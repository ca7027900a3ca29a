#include <concepts>

#include "harness/report/fields.h"
#include "reports/answers/format.h"
#include "reports/answers/rows.h"
#include "reports/answers/table.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

namespace {

// What fields() of a sample walks: the names and the texts of its members.
struct Record {
  std::vector<std::string> names;
  std::vector<std::string> values;

  static std::string text_of(bool value) { return value ? "true" : "false"; }
  static std::string text_of(double value) { return answers::exact(value); }
  static std::string text_of(std::integral auto value) { return std::to_string(value); }
  template <class Value>
  static std::string text_of(const std::optional<Value>& value) {
    return value ? text_of(*value) : "";
  }

  void member(const char* name, const auto& value) {
    names.emplace_back(name);
    values.push_back(text_of(value));
  }
};

Record record_of(const report::Sample& sample) {
  Record record;
  fields(record, sample);
  return record;
}

std::string line_of(std::vector<std::string> cell, const std::vector<std::string>& sample) {
  cell.insert(cell.end(), sample.begin(), sample.end());
  return answers::csv_line(cell);
}

}  // namespace

std::string samples(const report::Report& report) {
  std::string text =
      line_of({"scenario", "cell", "implementation", "options", "threads", "arm", "state"}, record_of({}).names);
  for (const report::Cell& cell : report.cells) {
    const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
    const std::vector<std::string> names = {scenario != nullptr ? scenario->label : "",
                                            cell.id,
                                            cell.implementation,
                                            answers::options_of(cell),
                                            std::to_string(cell.threads),
                                            cell.arm,
                                            report::name_of(cell.status.state)};
    for (const report::Sample& sample : cell.samples) text += line_of(names, record_of(sample).values);
  }
  return text;
}

}  // namespace gdbench::exports
