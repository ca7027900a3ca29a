#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "harness/base/text.h"
#include "harness/questions/explain/calls.h"
#include "harness/questions/explain/explain.h"
#include "reports/answers/format.h"
#include "reports/answers/overview_sentences.h"

namespace gdbench::answers {

using report::Cell;

namespace {

// "hand/eigen makes 4 calls of kernels per step, graph/jit runs in one piece".
std::string calls_words(const Cell& fast, const Cell& slow, const std::string& fast_name,
                        const std::string& slow_name) {
  constexpr double kLeastShare = 0.05;  // calls that cost less are no reason
  if (const auto cost = explain::dispatch_cost(slow); cost && cost->share >= kLeastShare) {
    return slow_name + " makes " + format_number(cost->dispatches) + (cost->dispatches == 1 ? " call" : " calls") +
           " into its framework per step, at least " + format_percent(cost->share) + " of its time";
  }
  if (is_framework(fast) || is_framework(slow) || !fast.profile || !slow.profile) return "";
  const double of_fast = std::round(report::calls_per_step(fast));
  const double of_slow = std::round(report::calls_per_step(slow));
  if (of_fast == of_slow || of_slow == 0) return "";
  return slow_name + " makes " + counted(static_cast<std::size_t>(of_slow), "call") + " of kernels per step, " +
         fast_name + " " + (of_fast == 0 ? "runs in one piece" : format_number(of_fast));
}

// "forward takes 362 ns instead of 41 ns", of the phase that surely is the largest part of the difference.
std::string phase_words(const report::Explanation& explanation) {
  if (!explanation.profiles || explanation.profiles->phases.empty()) return "";
  const report::PhasePart& phase = explanation.profiles->phases.front();
  const report::Contribution& times = phase.contribution;
  if (!phase.phase || phase.only_bounded || times.standing != report::Standing::cause) return "";
  return phase.name() + " takes " + format_duration_ns(times.a_ns) + " instead of " + format_duration_ns(times.b_ns);
}

// "graph/jit reaches 54% of this machine's limit, hand/eigen 11%"
std::string ceiling_reason(const Cell& fast, const Cell& slow, const std::string& fast_name,
                           const std::string& slow_name) {
  const auto& of_fast = fast.summary->ceiling;
  const auto& of_slow = slow.summary->ceiling;
  if (!of_fast || !of_slow || of_fast->failed || of_slow->failed) return "";
  return fast_name + " reaches " + format_percent(of_fast->share) + " of this machine's limit, " + slow_name + " " +
         format_percent(of_slow->share);
}

void add_reason(const Overview& overview, const OverviewRow& row, const Cell& slow, int rank,
                std::vector<Sentence>& sentences) {
  const Cell& fast = *row.ranking.fastest;
  const std::string fast_name = name_in(overview, fast);
  const std::string slow_name = name_in(overview, slow);
  std::vector<std::string> reasons = {calls_words(fast, slow, fast_name, slow_name),
                                      phase_words(explain::explain(*overview.report, fast, slow)),
                                      ceiling_reason(fast, slow, fast_name, slow_name)};
  std::erase(reasons, "");
  const std::string place = overview.turned ? "" : " (" + row.brief + ")";
  sentences.push_back({"Why " + fast_name + " leads " + slow_name + place + ": " +
                           (reasons.empty() ? "unknown, gdbench explain says what to measure" : joined(reasons, "; ")) +
                           ".",
                       rank});
}

struct BestFramework {
  const OverviewRow* row = nullptr;
  const Cell* cell = nullptr;
  stats::Estimate ratio;  // of its time to the fastest's
};

std::optional<BestFramework> best_framework(const analysis::Comparer& comparer, const OverviewRow& row) {
  if (row.ranking.fastest == nullptr || is_framework(*row.ranking.fastest)) return std::nullopt;
  std::vector<const Cell*> frameworks;
  std::ranges::copy_if(row.ranked, std::back_inserter(frameworks),
                       [](const Cell* cell) { return is_framework(*cell); });
  const Cell* best = ranking_of(std::move(frameworks), comparer).fastest;
  if (best == nullptr) return std::nullopt;
  const stats::Estimate ratio = comparer.compare(*row.ranking.fastest, *best).ratio;
  return ratio.launches > 0 ? std::optional(BestFramework{&row, best, ratio}) : std::nullopt;
}

std::string framework_words(const Overview& overview, const std::vector<BestFramework>& frameworks) {
  const auto words = [&](const BestFramework& best) {
    return format_ratio(best.ratio) + " (" + name_in(overview, *best.cell) +
           (overview.turned ? "" : ", " + best.row->brief) + ")";
  };
  const auto value = [](const BestFramework& best) { return best.ratio.value; };
  return "The best framework takes " + range_words(frameworks, value, words) + " as long as the fastest.";
}

}  // namespace

void add_reasons(const Overview& overview, std::vector<Sentence>& sentences) {
  if (!overview.ranked) return;
  const OverviewRow* largest = nullptr;  // of the leads that are sure
  std::vector<BestFramework> frameworks;
  const analysis::Comparer comparer(*overview.report);
  for (const OverviewRow& row : overview.rows) {
    const Ranking& ranking = row.ranking;
    if (auto best = best_framework(comparer, row)) frameworks.push_back(*best);
    if (!ranking.won() && (ranking.next == nullptr || !is_clear(ranking.lead))) continue;
    const bool larger = largest == nullptr || ranking.lead.ratio.value > largest->ranking.lead.ratio.value;
    if (larger) largest = &row;
  }
  if (largest != nullptr) add_reason(overview, *largest, *largest->ranking.next, 2, sentences);
  if (frameworks.empty()) return;
  sentences.push_back({framework_words(overview, frameworks), 2});
  const auto there = std::ranges::find(frameworks, largest, &BestFramework::row);
  if (there != frameworks.end() && there->cell != largest->ranking.next) {
    add_reason(overview, *largest, *there->cell, 3, sentences);
  }
}

}  // namespace gdbench::answers
