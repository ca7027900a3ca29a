#include "harness/questions/ablation/ablation.h"

#include <algorithm>

#include "harness/analysis/pairing.h"
#include "harness/analysis/summarise.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/eligibility.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::ablation {

namespace {

using report::AblationVariant;

// All verdicts of a table together are wrong by chance in at most this share of tables (C. E. Bonferroni's inequality).
constexpr double kWrongTables = 0.05;

// What was done once, before the first step. Empty where the implementation offers no profile.
std::vector<protocol::OpTotals> compile_records(const measure::CellGroup& group, const measure::RunOptions& options) {
  const measure::PlannedScenario& planned = group.scenario();
  const measure::PlannedCell& cell = planned.cells.front();
  report::Launch launch;  // not timed
  Result<measure::CellWorker> worker =
      measure::CellWorker::start(planned, cell, measure::trained_problem(planned, cell), options.limits, launch);
  if (!worker.ok() || !worker->client().set_state(measure::kStartImage, 0).ok()) return {};
  Result<protocol::ProfileAnswer> answer = worker->client().profile(1);
  if (!answer.ok()) return {};
  std::vector<protocol::OpTotals> records = std::move(answer->records);
  std::erase_if(records, [](const protocol::OpTotals& op) { return op.phase != catalogue::Phase::compile; });
  return records;
}

// By the convention of GDBENCH_OPTION_SWITCHES: the record is called as the part, or ends with its name.
std::optional<double> calls_of(const std::string& part, const std::vector<protocol::OpTotals>& records) {
  for (const protocol::OpTotals& record : records) {
    if (record.op == part || record.op.ends_with(" " + part)) return record.calls;
  }
  return std::nullopt;
}

bool done(const measure::CellGroup& group, const measure::RunOptions& options, double slowest_launch) {
  // Without the cell as it is there is nothing to compare with.
  const bool comparable = group.report().cells.front().status.state == report::CellState::ok;
  if (options.cancelled() || !comparable) return true;
  if (options.launches > 0) return group.launches() >= options.launches;
  return group.launches() >= options.minimum_launches && options.elapsed() + slowest_launch > options.budget_seconds;
}

stats::VerdictOptions verdict_options(std::size_t variants) {
  stats::VerdictOptions verdict;
  verdict.confidence = 1 - kWrongTables / static_cast<double>(std::max<std::size_t>(variants, 2) - 1);
  verdict.minimum_launches = stats::min_launches(verdict.confidence);
  return verdict;
}

Status launch_until_done(measure::CellGroup& group, const measure::RunOptions& options) {
  double slowest_launch = 0;
  while (!done(group, options, slowest_launch)) {
    const double before = options.elapsed();
    options.progress({"launch " + std::to_string(group.launches() + 1),
                      options.launches > 0 ? static_cast<double>(group.launches()) / options.launches
                                           : std::min(1.0, before / options.budget_seconds),
                      -1});
    TRY(group.launch(options));
    slowest_launch = std::max(slowest_launch, options.elapsed() - before);
  }
  return {};
}

void fill(const report::Cell& full, const report::Cell& cell, const stats::VerdictOptions& verdict,
          AblationVariant& variant) {
  variant.status = cell.status;
  if (cell.status.state != report::CellState::ok || cell.samples.empty()) return;
  variant.step_ns = analysis::step_time(cell, verdict.confidence);
  if (&cell == &full || full.status.state != report::CellState::ok) return;
  const std::vector<stats::Pair> pairs = analysis::pairs_of(full, cell);
  variant.comparison = stats::compare(pairs, verdict);
  variant.difference_ns = stats::paired_difference(pairs, verdict.confidence);
}

}  // namespace

std::vector<AblationVariant> ablation_variants(const protocol::OptionDeclaration& option, const std::string& value) {
  std::vector<AblationVariant> variants(1);
  variants.front().value = value;
  const std::vector<bool> on =
      measure::parse_switches(option, value).value_or(std::vector<bool>(option.choices.size()));
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (!on[i]) continue;
    AblationVariant variant;
    variant.without = option.choices[i];
    variant.description = measure::description_of_switch(option, option.choices[i]);
    variant.value = measure::without_switch(value, option.choices[i]);
    variants.push_back(std::move(variant));
  }
  if (variants.size() <= 2) return variants;
  AblationVariant none;
  none.everything_off = true;
  none.value = "none";
  variants.push_back(std::move(none));
  return variants;
}

Status measure_ablation(measure::CellGroup& group, const measure::RunOptions& options, report::Ablation& ablation) {
  TRY(group.verify(options));
  const bool right = group.report().cells.front().status.state == report::CellState::ok;
  const auto records = right ? compile_records(group, options) : std::vector<protocol::OpTotals>();
  std::size_t measured = 0;
  for (std::size_t i = 0; i < ablation.variants.size(); ++i) {
    AblationVariant& variant = ablation.variants[i];
    if (!variant.without.empty()) variant.fired = calls_of(variant.without, records);
    if (variant.had_no_effect()) {
      group.leave_out(i);
    } else {
      ++measured;
    }
  }
  const stats::VerdictOptions verdict = verdict_options(measured);
  measure::RunOptions sure = options;
  sure.minimum_launches = verdict.minimum_launches;
  TRY(launch_until_done(group, sure));
  ablation.confidence = verdict.confidence;
  const auto& cells = group.report().cells;
  for (std::size_t i = 0; i < ablation.variants.size(); ++i) {
    fill(cells.front(), cells[i], verdict, ablation.variants[i]);
  }
  return {};
}

}  // namespace gdbench::ablation
