#include <algorithm>
#include <cmath>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/exports/exported.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// In double quotes, with \ and " escaped; on one line.
std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char character : one_line(value)) {
    if (character == '\\' || character == '"') text += '\\';
    text += character;
  }
  return text + "\"";
}

// A family's name ends in its unit, where it has one.
class Family {
 public:
  Family(const std::string& name, const std::string& unit, const std::string& help)
      : name_("gdbench_" + name + (unit.empty() ? "" : "_" + unit)) {
    text_ = "# TYPE " + name_ + " gauge\n";
    if (!unit.empty()) text_ += "# UNIT " + name_ + " " + unit + "\n";
    text_ += "# HELP " + name_ + " " + help + "\n";
  }

  void add(const Labels& labels, double value) {
    if (!std::isfinite(value)) return;
    std::vector<std::string> parts;
    for (const auto& [name, text] : labels) parts.push_back(name + "=" + quoted(text));
    text_ += name_ + (parts.empty() ? "" : "{" + joined(parts, ",") + "}") + " " + answers::exact(value) + "\n";
  }

  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

Labels labels_of(const report::Report& report, const ExportedCell& exported) {
  const report::ScenarioRecord* scenario = report.find_scenario(exported.cell->scenario);
  return {{"cell", exported.name},
          {"scenario", scenario != nullptr ? scenario->label : ""},
          {"implementation", exported.cell->implementation},
          {"arm", exported.cell->arm}};
}

std::string families_of_cells(const report::Report& report) {
  Family step("step", "seconds", "Time of a steady step: median over launches, and its 95% interval.");
  Family first_step("first_step", "seconds", "Time of the first step of a process, median over launches.");
  Family ready(
      "ready", "seconds",
      "Load, prepare without imports, and what the first step takes beyond a steady one: median over launches.");
  Family memory("peak_resident", "bytes", "Largest resident memory of a process.");
  for (const ExportedCell& exported : timed_cells(report)) {
    const report::Summary& summary = *exported.cell->summary;
    const Labels labels = labels_of(report, exported);
    for (const auto& [stat, nanoseconds] : {std::pair{"median", summary.step_ns.value},
                                            {"low", summary.step_ns.interval.low},
                                            {"high", summary.step_ns.interval.high}}) {
      Labels of_stat = labels;
      of_stat.emplace_back("stat", stat);
      step.add(of_stat, nanoseconds * 1e-9);
    }
    first_step.add(labels, summary.first_step_ns * 1e-9);
    if (summary.ready_ns) ready.add(labels, *summary.ready_ns * 1e-9);
    memory.add(labels, static_cast<double>(summary.peak_resident_bytes));
  }
  return step.text() + first_step.text() + ready.text() + memory.text();
}

}  // namespace

std::string openmetrics(const report::Report& report) {
  Family cells("cells", "", "Cells of the run in each state.");
  for (const auto& row : report::kCellStates) {
    const auto in_state = [&row](const report::Cell& cell) { return cell.status.state == row.value; };
    cells.add({{"state", row.name}}, static_cast<double>(std::ranges::count_if(report.cells, in_state)));
  }
  Family start("run_start_time", "seconds", "When the run began, since 1970.");
  if (const auto seconds = seconds_since_1970(report.run.started_at)) start.add({}, static_cast<double>(*seconds));
  Family info("run_info", "", "Where and of which commit the run is.");
  info.add(facts_of(report), 1);
  return families_of_cells(report) + cells.text() + start.text() + info.text() + "# EOF\n";
}

}  // namespace gdbench::exports
