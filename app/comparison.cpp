#include "app/comparison.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/answer.h"
#include "app/console.h"
#include "app/invocation.h"
#include "app/measured_run.h"
#include "app/output_file.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/measure/session.h"
#include "harness/questions/compare/compare.h"
#include "reports/answers/documents.h"
#include "reports/answers/environments.h"
#include "reports/answers/format.h"
#include "reports/exports/exports.h"

namespace gdbench::app {

namespace {

constexpr report::Quantity kGates[] = {
    report::Quantity::first_step,  report::Quantity::prepare,    report::Quantity::import,
    report::Quantity::peak_memory, report::Quantity::own_memory, report::Quantity::device_memory,
    report::Quantity::allocations, report::Quantity::step_p95,   report::Quantity::step_p99};
constexpr const char* kAll = "all";
// Among all of a worker's memory are the pages of its files that the kernel mapped around a fault, more or fewer as
// they lie in the page cache: two copies of one build may differ by a tenth.
bool is_in_all(report::Quantity quantity) { return quantity != report::Quantity::peak_memory; }

std::vector<std::string> gate_names() {
  std::vector<std::string> names;
  for (const report::Quantity quantity : kGates) names.emplace_back(report::name_of(quantity));
  return names;
}

// Of QUANTITY[=SHARE][@CELLS], which `from` says.
Result<std::vector<report::Gate>> gates_of(const std::string& text, const std::string& from) {
  const std::string before = text.substr(0, text.find('@'));
  const std::string name = before.substr(0, before.find('='));
  std::string share = name.size() < before.size() ? before.substr(name.size() + 1) : "";
  const std::string cells = before.size() < text.size() ? text.substr(before.size() + 1) : "";
  const std::string fault = share.empty() ? "" : as_share()(share);
  if (!fault.empty()) return usage_error(cat(from, ": ", name, ": ", fault));
  const std::optional<double> margin = share.empty() ? std::nullopt : number_of<double>(share);
  if (name == report::name_of(report::Quantity::step)) {
    if (margin && !cells.empty()) return std::vector{report::Gate{report::Quantity::step, *margin, cells}};
    return usage_error(
        cat(from, ": found ", in_quotes(text), ", expected step=SHARE@CELLS (--margin is of all cells)"));
  }
  std::vector<report::Gate> gates;
  for (const report::Quantity quantity : kGates) {
    if (name == kAll ? !is_in_all(quantity) : name != report::name_of(quantity)) continue;
    gates.push_back({quantity, margin.value_or(compare::margin_of(quantity)), cells});
  }
  if (!gates.empty()) return gates;
  std::vector<std::string> expected = gate_names();
  expected.emplace_back(kAll);
  return usage_error(cat(from, ": found ", in_quotes(name), ", expected ", one_of(name, expected)));
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonOptions& options) {
  add_value(command, "--margin", "SHARE", options.margin,
            "What does not matter: a cell regressed where it is slower by more (default 1% side by side, 3% from "
            "two runs)")
      ->transform(as_share());
  add_value(
      command, "--gate", "QUANTITY[=SHARE][@CELLS]", options.gates,
      cat("Judge this of every cell, or of those that a glob names, too, by a margin of its own: ",
          joined(gate_names()),
          "; all: each but peak_memory; step=SHARE@CELLS: another margin of steps (given again, several, of which "
          "the last one counts for a cell; default 10% of times, 5% of memory, 1% of counts)"))
      ->allow_extra_args(false);
  add_forms(command, options.answer, "the comparison, or without one the report,");
  add_document(command, "--junit", options.junit,
               "Write the comparison, or without one the report, as JUnit XML: a test case for each cell");
}

bool judges_single_steps(const ComparisonOptions& options) {
  return std::ranges::any_of(kGates, [&](report::Quantity quantity) {
    const auto names = [&](const std::string& gate) { return gate.starts_with(report::name_of(quantity)); };
    return report::is_percentile(quantity) && std::ranges::any_of(options.gates, names);
  });
}

Result<compare::CompareOptions> compare_options(const ComparisonOptions& options, double default_margin) {
  compare::CompareOptions result{.margin = options.margin.value_or(default_margin)};
  for (const std::string& text : options.gates) {
    for (report::Gate& gate : TRY(gates_of(text, options.gates_from))) {
      const auto is_same = [&](const report::Gate& other) {
        return other.quantity == gate.quantity && other.cells == gate.cells;
      };
      if (std::ranges::any_of(result.gates, is_same)) {
        return usage_error(
            cat(options.gates_from, ": found ", report::name_of(gate.quantity), " twice, expected each once"));
      }
      result.gates.push_back(std::move(gate));
    }
  }
  return result;
}

Status show_comparison(const report::ReportComparison& comparison, const ComparisonOptions& options) {
  AnswerOptions answer = options.answer;
  answer.quiet = answer.quiet || options.junit == "-";
  TRY(print_answer(answer, answers::document_of(comparison), report::to_json(comparison)));
  return options.junit.empty() ? Status() : write_text(exports::junit(comparison), options.junit);
}

int status_of(const report::ReportComparison& comparison) {
  using report::Change;
  if (!comparison.not_comparable.empty()) return kInconclusive;
  const auto any = [&](Change change) {
    return std::ranges::any_of(comparison.cells,
                               [change](const report::ComparedCell& cell) { return cell.change == change; });
  };
  if (any(Change::regressed)) return kRegressed;
  if (any(Change::failing)) return kFailedCells;
  return any(Change::inconclusive) || any(Change::removed) ? kInconclusive : kFine;
}

Result<ComparisonBase> ComparisonBase::make(const std::string& against, const ComparisonOptions& options) {
  ComparisonBase opponent;
  if (against.empty()) return opponent;
  opponent.against_ = against;
  const bool build = std::filesystem::is_directory(against);
  opponent.options_ = TRY(compare_options(options, build ? compare::kMarginOfArms : compare::kMarginOfReports));
  if (build) return opponent;
  opponent.report_ = TRY(stored_report(against));
  return opponent;
}

report::ReportComparison ComparisonBase::compare(const report::Report& report) const {
  report::ReportComparison comparison =
      report_ ? compare::compare_reports(*report_, report, options_) : compare::compare_arms(report, options_);
  comparison.base = against_;
  comparison.next = "this build";
  return comparison;
}

std::vector<std::size_t> ComparisonBase::open_cells(report::Report& report,
                                                    const std::vector<std::size_t>& cells) const {
  analysis::summarise(report);
  std::set<std::string> open;
  for (const report::ComparedCell& cell : compare(report).cells) {
    if (cell.change == report::Change::inconclusive) open.insert(cell.id);
  }
  return cells_named(open, report, cells);
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
    options.warn(
        cat(suspects.size(), suspects.size() == 1 ? " cell looks regressed: it is" : " cells look regressed: they are",
            " launched as often again, ", options.launches > 0 ? "whatever it takes" : "as far as the budget goes",
            ", to confirm or clear it"));
  }
  return measure::confirm(plan, units, options, report, journal);
}

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
    const std::string what = cell->of_step() ? "" : cat(", ", answers::quantity_name(cell->quantity), ",");
    return Decision{status, cat(cell->id, what, " is ", report::name_of(change), why)};
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
