#include "reports/exports/exported.h"

#include <cmath>
#include <set>

#include "harness/base/text.h"
#include "harness/report/environment.h"
#include "reports/answers/words.h"

namespace gdbench::exports {

std::string exported_name(const report::Cell& cell) { return one_line(cell.id); }

std::vector<ExportedCell> timed_cells(const report::Report& report) {
  std::vector<ExportedCell> cells;
  std::set<std::string> names;
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state != report::CellState::ok || !cell.summary || cell.arm == report::kControlArm) continue;
    const double step_ns = cell.summary->step_ns.value;
    if (!std::isfinite(step_ns) || step_ns <= 0) continue;
    const std::string name = exported_name(cell);
    if (names.insert(name).second) cells.push_back({name, &cell});
  }
  return cells;
}

std::vector<std::pair<std::string, std::string>> facts_of(const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"commit", answers::revision_words(report)},
                                    {"processor", report::text_at(environment, "/cpu/model")},
                                    {"kernel", report::text_at(environment, "/kernel")},
                                    {"compiler", report::text_at(environment, "/build/compiler")},
                                    {"matrix", report.run.matrix}}) {
    if (!value.empty()) facts.emplace_back(name, one_line(value));
  }
  return facts;
}

}  // namespace gdbench::exports
