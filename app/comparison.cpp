#include "app/comparison.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/arguments.h"
#include "app/invocation.h"
#include "reports/render/comparison.h"

namespace gdbench::app {

void add_comparison_options(CommandLine& command, ComparisonOptions& options) {
  command
      .option("--margin", options.margin,
              "What does not matter: a cell regressed where it is slower by more (default 1% side by side, 3% from "
              "two runs)")
      .type_name("SHARE");
  command
      .option("--markdown", options.markdown,
              "Write the comparison, or without one the report, as GitHub Markdown (- for stdout)")
      .type_name("FILE");
}

Result<double> margin_of(const ComparisonOptions& options, double by_default) {
  return options.margin.empty() ? Result<double>(by_default) : parse_share("--margin", options.margin);
}

Status show_comparison(const report::ReportComparison& comparison, const ComparisonOptions& options) {
  if (options.json) {
    std::cout << report::to_json(comparison).dump(2) << "\n";
  } else if (!options.quiet && options.markdown != "-") {
    std::cout << render::comparison_table(comparison);
  }
  std::cout << std::flush;
  return options.markdown.empty() ? Status() : write_text(render::comparison_markdown(comparison), options.markdown);
}

int status_of(const report::ReportComparison& comparison) {
  using report::Change;
  if (!comparison.not_comparable.empty()) return kInconclusive;
  const auto any = [&](Change change) {
    return std::any_of(comparison.cells.begin(), comparison.cells.end(),
                       [change](const report::ComparedCell& cell) { return cell.change == change; });
  };
  if (any(Change::regressed)) return kRegressed;
  if (any(Change::failing)) return kFailedCells;
  return any(Change::inconclusive) || any(Change::removed) ? kInconclusive : kFine;
}

}  // namespace gdbench::app
