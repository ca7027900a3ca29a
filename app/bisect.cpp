#include "app/bisect.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/comparison.h"
#include "app/console.h"
#include "app/invocation.h"
#include "harness/base/text.h"
#include "reports/answers/environments.h"

namespace gdbench::app {

namespace {

struct Decision {
  int status = kBisectSkip;
  std::string reason;
};

Decision decide(const report::ReportComparison& comparison) {
  using report::Change;
  const auto with = [&](Change change, int status) -> std::optional<Decision> {
    const auto cell = std::ranges::find(comparison.cells, change, &report::ComparedCell::change);
    if (cell == comparison.cells.end()) return std::nullopt;
    const std::string why = cell->remark.empty() ? "" : " (" + cell->remark + ")";
    return Decision{status, cat(cell->id, " is ", report::name_of(change), why)};
  };
  const int status = status_of(comparison);
  if (status == kRegressed) return with(Change::regressed, kRegressed).value_or(Decision{kRegressed, ""});
  if (status == kFine && !comparison.cells.empty()) return {kFine, "no cell regressed"};
  if (!comparison.not_comparable.empty()) return {kBisectSkip, comparison.not_comparable};
  for (const Change change : {Change::failing, Change::removed, Change::inconclusive}) {
    if (const auto decision = with(change, kBisectSkip)) return *decision;
  }
  return {kBisectSkip, "nothing was compared"};
}

Decision decide(const report::Report& report) {
  const std::vector<answers::EnvironmentComparison> all = answers::environment_comparisons(report);
  const auto with = [&](stats::Verdict verdict) {
    return std::ranges::find(all, verdict, [](const auto& one) { return one.comparison.verdict; });
  };
  if (const auto slower = with(stats::Verdict::slower); slower != all.end()) {
    return {kRegressed, answers::environment_words(*slower)};
  }
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state != report::CellState::ok) {
      return {kBisectSkip, cat(cell.id, " is ", report::words_of(cell.status))};
    }
  }
  if (const auto open = with(stats::Verdict::inconclusive); open != all.end()) {
    return {kBisectSkip, answers::environment_words(*open)};
  }
  return all.empty() ? Decision{kBisectSkip, "nothing was compared"} : Decision{kFine, "nothing is slower"};
}

}  // namespace

int bisect(const report::Report& report, const std::optional<report::ReportComparison>& comparison) {
  const Decision decision = comparison ? decide(*comparison) : decide(report);
  const char* const name = decision.status == kFine ? "good" : decision.status == kRegressed ? "bad" : "skip";
  print_error(one_line(cat("bisect: ", name, " (exit status ", decision.status, "): ", decision.reason)));
  return decision.status;
}

}  // namespace gdbench::app
