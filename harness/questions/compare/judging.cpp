#include "harness/questions/compare/judging.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "harness/base/globs.h"
#include "harness/stats/estimate.h"

namespace gdbench::compare {

using report::Cell;
using report::Change;
using report::ComparedCell;
using report::Quantity;
using report::Report;
using report::ReportComparison;

namespace {

Change change_of(stats::Verdict verdict) {
  // By verdict: faster, slower, equivalent, inconclusive.
  constexpr Change kChangeAt[] = {Change::improved, Change::regressed, Change::equivalent, Change::inconclusive};
  return kChangeAt[static_cast<std::size_t>(verdict)];
}

// What can be said without a look at the times, which neither side may have.
ComparedCell compared_cell(const Match& match) {
  ComparedCell cell;
  cell.id = id_without_arm(match.next != nullptr ? *match.next : *match.base);
  if (match.base != nullptr && match.base->summary) cell.base = match.base->summary->step_ns;
  if (match.next != nullptr && match.next->summary) cell.next = match.next->summary->step_ns;
  if (cell.base && cell.next) {
    cell.remark = match.unlike;
  } else if (cell.next) {
    cell.change = match.base != nullptr && report::is_failure(match.base->status.state) ? Change::fixed : Change::added;
    if (match.base != nullptr) cell.remark = report::words_of(match.base->status) + " in the base";
  } else if (cell.base) {
    cell.change =
        match.next != nullptr && report::is_failure(match.next->status.state) ? Change::failing : Change::removed;
    if (match.next != nullptr) cell.remark = report::words_of(match.next->status);
  }
  return cell;
}

std::optional<stats::Estimate> typical(Quantity quantity, const Cell& cell) {
  if (quantity == Quantity::allocations) {  // which may be none
    if (!cell.profile || !cell.profile->allocations_per_step) return std::nullopt;
    const double count = *cell.profile->allocations_per_step;
    return stats::Estimate{.value = count, .interval = {count, count}, .launches = 1};
  }
  std::vector<stats::Observation> values;
  for (const auto& [launch, value] : analysis::by_launch(quantity, 0, cell)) values.push_back({launch, value});
  if (values.empty()) return std::nullopt;
  return stats::typical_time(values);
}

// Less than this nobody feels, and scatters by its own size from launch to launch.
double least_felt(Quantity quantity) {
  constexpr double kTimeNs = 1e7;
  constexpr double kMemoryBytes = 0x1p20;
  if (report::is_counted(quantity) || report::is_percentile(quantity)) return 0;
  return report::is_memory(quantity) ? kMemoryBytes : kTimeNs;
}

// The same of what is judged next to steps; nothing where a side has no such quantity, or neither has any to be felt.
std::optional<ComparedCell> compared_cell(const Match& match, Quantity quantity) {
  if (!match.decided_by_times()) return std::nullopt;
  ComparedCell cell;
  cell.id = id_without_arm(*match.next);
  cell.quantity = quantity;
  cell.base = typical(quantity, *match.base);
  cell.next = typical(quantity, *match.next);
  if (!cell.base || !cell.next) return std::nullopt;
  if (std::max(cell.base->value, cell.next->value) < least_felt(quantity)) return std::nullopt;
  return cell;
}

// What is counted is as large in every launch. No ratio to none.
void judge_count(double margin, ComparedCell& cell) {
  const double base = cell.base->value;
  const double next = cell.next->value;
  cell.change = next > base * (1 + margin)   ? Change::regressed
                : next < base / (1 + margin) ? Change::improved
                                             : Change::equivalent;
  if (base > 0)
    cell.ratio = stats::Estimate{.value = next / base, .interval = {next / base, next / base}, .launches = 1};
}

}  // namespace

std::vector<Match> matched(const Report& base, const std::string& base_arm, const Report& next,
                           const std::string& next_arm) {
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm) known.emplace(id_without_arm(cell), &cell);
  }
  std::vector<Match> matches;
  for (const Cell& cell : next.cells) {
    if (cell.arm != next_arm) continue;
    const auto found = known.find(id_without_arm(cell));
    if (found == known.end()) {
      matches.push_back({nullptr, &cell});
      continue;
    }
    Match& match = matches.emplace_back(Match{found->second, &cell});
    if (match.base->scenario != cell.scenario) {
      match.unlike = "the scenario is not the same any more";
    } else if (base.data_digest(*match.base) != next.data_digest(cell)) {
      match.unlike = "the data are not the same any more";
    }
    known.erase(found);
  }
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm && known.contains(id_without_arm(cell))) matches.push_back({&cell, nullptr});
  }
  return matches;
}

const report::Gate* gate_of(const std::vector<report::Gate>& gates, Quantity quantity, const std::string& id) {
  const auto found = std::ranges::find_if(gates.rbegin(), gates.rend(), [&](const report::Gate& gate) {
    return gate.quantity == quantity && (gate.cells.empty() || glob_match(gate.cells, id));
  });
  return found == gates.rend() ? nullptr : &*found;
}

std::vector<Row> rows_of(const Match& match, const std::vector<report::Gate>& gates) {
  std::vector<Row> rows = {{compared_cell(match), match.decided_by_times()}};
  std::set<Quantity> seen = {Quantity::step};
  for (const report::Gate& gate : gates) {
    if (!seen.insert(gate.quantity).second) continue;
    std::optional<ComparedCell> other = compared_cell(match, gate.quantity);
    const report::Gate* own = other ? gate_of(gates, gate.quantity, other->id) : nullptr;
    if (own == nullptr) continue;
    const bool is_counted = report::is_counted(own->quantity);
    if (is_counted) judge_count(own->margin, *other);
    rows.push_back({std::move(*other), !is_counted});
  }
  return rows;
}

void judge(const std::vector<Match>& matches, const std::function<std::vector<Row>(const Match&)>& rows,
           const CompareMatch& compare, ReportComparison& result) {
  std::vector<std::pair<const Match*, std::size_t>> judged;  // with the number of its cell
  for (const Match& match : matches) {
    for (Row& row : rows(match)) {
      if (!row.cell.base && !row.cell.next) continue;
      if (row.is_judged) judged.emplace_back(&match, result.cells.size());
      result.cells.push_back(std::move(row.cell));
    }
  }
  const auto one = [&](std::size_t i, double confidence) {
    return compare(*judged[i].first, confidence, result.cells[judged[i].second]);
  };
  const std::vector<stats::Comparison> comparisons = stats::compare_family(judged.size(), result.confidence, one);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    ComparedCell& cell = result.cells[judged[i].second];
    cell.change = change_of(comparisons[i].verdict);
    if (comparisons[i].ratio.launches > 0) cell.ratio = comparisons[i].ratio;
    cell.remark = comparisons[i].remark;
  }
}

Noise::Noise(const Report& report, const CompareOptions& options)
    : options_(options),
      looks_(report.run.until_decided.value_or(false) ? stats::Looks::every : stats::Looks::one),
      steps_(report) {
  for (const report::Gate& gate : options.gates) {
    const std::pair key(gate.quantity, gate.margin);
    if (gate.quantity == Quantity::step || comparers_.contains(key)) continue;
    comparers_.emplace(key, analysis::Comparer(report, gate.quantity, gate.margin));
  }
}

stats::VerdictOptions Noise::options_for(Quantity quantity, const std::string& id, const std::string& scenario,
                                         double confidence) const {
  const report::Gate* gate = gate_of(options_.gates, quantity, id);
  const bool is_step = quantity == Quantity::step;
  stats::VerdictOptions verdict = (is_step ? steps_ : comparers_.at({quantity, gate->margin})).options(scenario);
  verdict.margin = gate == nullptr ? options_.margin : gate->margin;
  verdict.confidence = confidence;
  verdict.looks = looks_;
  // Order statistics are exact; Student's t of a few launches is not what a gate should rest on.
  verdict.minimum_launches = stats::min_launches(confidence, looks_);
  return verdict;
}

}  // namespace gdbench::compare
