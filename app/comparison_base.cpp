#include "app/comparison_base.h"

#include <filesystem>
#include <set>

#include "app/invocation.h"
#include "harness/analysis/summarise.h"
#include "harness/measure/confirm.h"
#include "harness/questions/compare/compare.h"

namespace gdbench::app {

Result<ComparisonBase> ComparisonBase::make(const std::string& against, const ComparisonOptions& options) {
  ComparisonBase opponent;
  if (against.empty()) return opponent;
  opponent.against_ = against;
  const bool build = std::filesystem::is_directory(against);
  opponent.margin_ = TRY(margin_of(options, build ? compare::kMarginOfArms : compare::kMarginOfReports));
  if (build) return opponent;
  opponent.report_ = TRY(analysis::read_summarised(against));
  return opponent;
}

report::ReportComparison ComparisonBase::compare(const report::Report& report) const {
  report::ReportComparison comparison = report_ ? compare::compare_reports(*report_, report, {.margin = margin_})
                                                : compare::compare_arms(report, {.margin = margin_});
  comparison.base = against_;
  comparison.next = "this build";
  return comparison;
}

Status ComparisonBase::confirm(measure::Plan& plan, const measure::RunOptions& options, report::Report& report,
                               report::Journal& journal) const {
  analysis::summarise(report);
  std::set<std::string> suspects;
  for (const report::ComparedCell& cell : compare(report).cells) {
    if (cell.change == report::Change::regressed) suspects.insert(cell.id);
  }
  std::set<std::size_t> units;
  for (const auto& planned : plan.scenarios) {
    for (const measure::PlannedCell& cell : planned->cells) {
      if (suspects.contains(report.cells[cell.index].id)) units.insert(cell.unit);
    }
  }
  if (!units.empty()) {
    options.warn(std::to_string(suspects.size()) +
                 (suspects.size() == 1 ? " cell looks regressed: it is" : " cells look regressed: they are") +
                 " launched as often again, " +
                 (options.launches > 0 ? "whatever it takes" : "as far as the budget goes") +
                 ", to confirm or clear it");
  }
  return measure::confirm(plan, units, options, report, journal);
}

}  // namespace gdbench::app
