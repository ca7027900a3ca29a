#include "harness/questions/compare/compare.h"

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/comparison.h"
#include "app/output_file.h"
#include "harness/base/text.h"

namespace gdbench::app {

namespace {

struct CompareOptions {
  std::string base;
  std::string next;
  bool force = false;
  bool ratios = false;
  ComparisonOptions comparison;
};

bool has_arm(const report::Report& report, const std::string& arm) {
  return std::ranges::any_of(report.cells, [&](const report::Cell& cell) { return cell.arm == arm; });
}

// The two arms of one report.
Result<report::ReportComparison> compare_one(const CompareOptions& options) {
  const compare::CompareOptions judged = TRY(compare_options(options.comparison, compare::kMarginOfArms));
  const report::Report report = TRY(stored_report(options.base));
  if (!has_arm(report, report::kBaseArm) || !has_arm(report, report::kNewArm)) {
    return usage_error(one_line(options.base) +
                       ": found one build, expected two (gdbench run --against) or a second report");
  }
  return compare::compare_arms(report, judged);
}

Result<report::ReportComparison> compare_two(const CompareOptions& options) {
  compare::CompareOptions judged = TRY(compare_options(options.comparison, compare::kMarginOfReports));
  judged.force = options.force;
  const report::Report base = TRY(stored_report(options.base));
  const report::Report next = TRY(stored_report(options.next));
  report::ReportComparison comparison =
      options.ratios ? compare::compare_ratios(base, next, judged) : compare::compare_reports(base, next, judged);
  comparison.base = options.base;
  comparison.next = options.next;
  return comparison;
}

Result<int> compare(const CompareOptions& options) {
  if (options.ratios && (options.next.empty() || !options.comparison.gates.empty())) {
    return usage_error(options.next.empty() ? "--ratios: found one report, expected two"
                                            : "--ratios: found --gate next to it, expected one of them");
  }
  const report::ReportComparison comparison = TRY(options.next.empty() ? compare_one(options) : compare_two(options));
  TRY(show_comparison(comparison, options.comparison));
  return status_of(comparison);
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& command = *app.add_subcommand("compare", "Is a build slower than another? Three verdicts per cell");
  add_value(command, "base", "FILE", options->base, "Report of the base; or the one report of gdbench run --against")
      ->required();
  add_value(command, "new", "FILE", options->next, "Report of the new build");
  add_comparison_options(command, options->comparison);
  command.add_flag("--json", options->comparison.answer.json, "Print the comparison as JSON");
  command.add_flag("--force", options->force, "Compare reports of different machines");
  command.add_flag("--ratios", options->ratios,
                   "Compare what each report says of its cells in relation to its baseline, of any two machines");
  command.footer(
      "Exit status: 0 nothing is slower; 1 a cell regressed; 2 usage; 3 a cell fails that did not; 4 inconclusive, or\n"
      "not comparable.\n"
      "Examples:\n"
      "  gdbench compare before.json after.json\n"
      "  gdbench compare before.json after.json --margin 5% --markdown comment.md --html changes.html\n"
      "  gdbench compare here.json there.json --ratios\n"
      "  gdbench compare report.json                  the two builds of gdbench run --against");
  when_chosen(command, invocation, [options] { return compare(*options); });
}

}  // namespace gdbench::app
