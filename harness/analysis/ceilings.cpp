#include "harness/analysis/ceilings.h"

#include <algorithm>
#include <set>

#include "harness/analysis/pairing.h"
#include "harness/analysis/summarise.h"

namespace gdbench::analysis {

namespace {

void merge_level(std::vector<report::LevelCeiling>& levels, const report::LevelCeiling& found) {
  const auto known = std::find_if(levels.begin(), levels.end(),
                                  [&](const report::LevelCeiling& level) { return level.level == found.level; });
  if (known == levels.end()) {
    levels.push_back(found);
    return;
  }
  if (found.read_gb_per_second > known->read_gb_per_second) {
    known->read_gb_per_second = found.read_gb_per_second;
    known->read_streams = found.read_streams;
  }
  known->update_gb_per_second = std::max(known->update_gb_per_second, found.update_gb_per_second);
}

void merge_functions(std::optional<report::FunctionCeilings>& best,
                     const std::optional<report::FunctionCeilings>& found) {
  if (!found) return;
  if (!best) best.emplace();
  using Functions = report::FunctionCeilings;
  for (const auto rate : {&Functions::exponentials_per_ns, &Functions::divisions_per_ns, &Functions::roots_per_ns,
                          &Functions::refined_divisions_per_ns, &Functions::refined_roots_per_ns}) {
    (*best).*rate = std::max((*best).*rate, (*found).*rate);
  }
}

void merge_span(std::vector<report::SpanCeiling>& spans, const report::SpanCeiling& found) {
  const auto known = std::ranges::find(spans, found.span, &report::SpanCeiling::span);
  if (known == spans.end()) {
    spans.push_back(found);
  } else {
    known->gb_per_second = std::max(known->gb_per_second, found.gb_per_second);
  }
}

void merge(report::VectorCeilings& best, const report::VectorCeilings& found) {
  if (found.fma_f32_gflop_per_second > best.fma_f32_gflop_per_second) {
    best.vectors = found.vectors;
    best.bits = found.bits;
  }
  using Width = report::VectorCeilings;
  for (const auto rate : {&Width::fma_f32_gflop_per_second, &Width::fma_f64_gflop_per_second}) {
    best.*rate = std::max(best.*rate, found.*rate);
  }
  for (const auto latency : {&Width::fma_f32_latency_ns, &Width::fma_f64_latency_ns, &Width::addition_f32_latency_ns,
                             &Width::addition_f64_latency_ns}) {
    if (found.*latency > 0 && (best.*latency <= 0 || found.*latency < best.*latency)) best.*latency = found.*latency;
  }
  if (found.bf16_gflop_per_second) {
    best.bf16_gflop_per_second = std::max(best.bf16_gflop_per_second.value_or(0), *found.bf16_gflop_per_second);
  }
  for (const report::LevelCeiling& level : found.levels) merge_level(best.levels, level);
  merge_functions(best.functions_f32, found.functions_f32);
  merge_functions(best.functions_f64, found.functions_f64);
  if (!found.spans) return;
  if (!best.spans) best.spans.emplace();
  for (const report::SpanCeiling& span : *found.spans) merge_span(*best.spans, span);
}

// A span's bandwidth, and whose length it is. The longest that is no longer than the span counts, for more bytes are
// never faster; by the same reason one that was measured to be slower than a longer one was disturbed.
struct Bandwidth {
  double bytes = 0;
  double gb_per_second = 0;
  std::optional<report::Span> span;
};

Bandwidth best_for(double bytes, const std::vector<Bandwidth>& measured) {
  Bandwidth found;
  for (const Bandwidth& candidate : measured) {
    if (candidate.bytes <= bytes && candidate.bytes > found.bytes) found = candidate;
  }
  for (const Bandwidth& candidate : measured) {
    if (candidate.bytes >= found.bytes) found.gb_per_second = std::max(found.gb_per_second, candidate.gb_per_second);
  }
  return found;
}

// A measured span of the same arrays, or else what the levels give: of spans that are written, whatever a level does
// best. What is shorter than the first level was measured with is as fast as that.
Bandwidth bandwidth_of(const report::Span& span, const report::VectorCeilings& ceilings) {
  const bool written = span.written > 0;
  std::vector<Bandwidth> of_levels;
  for (const report::LevelCeiling& level : ceilings.levels) {
    const double best = std::max(level.read_gb_per_second, written ? level.update_gb_per_second : 0);
    if (!(best > 0)) continue;  // a launch measures spans alone
    of_levels.push_back({static_cast<double>(level.working_set_bytes), best, std::nullopt});
  }
  std::vector<Bandwidth> of_spans;
  for (const report::SpanCeiling& found : ceilings.spans.value_or(std::vector<report::SpanCeiling>())) {
    if (found.span.read_only != span.read_only || found.span.written != span.written) continue;
    of_spans.push_back({static_cast<double>(found.span.bytes), found.gb_per_second, found.span});
  }
  const double shortest = static_cast<double>(ceilings.levels.front().working_set_bytes);
  const double bytes = std::max(static_cast<double>(span.bytes), shortest);
  if (!written) of_spans.insert(of_spans.end(), of_levels.begin(), of_levels.end());
  const Bandwidth found = best_for(bytes, of_spans);
  return found.gb_per_second > 0 && found.bytes > 0 ? found : best_for(bytes, of_levels);
}

// The closest level that holds so many bytes beside what closer ones hold.
std::string level_of(const report::Span& span, const std::vector<report::LevelCeiling>& levels) {
  double capacity = 0;
  for (const report::LevelCeiling& level : levels) {
    capacity += static_cast<double>(level.capacity_bytes);
    if (static_cast<double>(span.bytes) <= capacity) return level.level;
  }
  return levels.back().level;
}

// False where a bandwidth was not measured.
bool add_bytes(const LeastWork& work, const report::VectorCeilings& ceilings, report::CeilingShare& share) {
  for (const Transfer& transfer : work.transfers) {
    const Bandwidth bandwidth = bandwidth_of(transfer.span, ceilings);
    if (!(bandwidth.gb_per_second > 0)) return false;
    const double needed_ns = transfer.bytes / bandwidth.gb_per_second;
    if (needed_ns <= share.bytes_ns) continue;
    share.bytes_ns = needed_ns;
    share.bytes = transfer.bytes;
    share.level = level_of(transfer.span, ceilings.levels);
    share.span = bandwidth.span;
  }
  return true;
}

double time_of(double count, double per_ns) { return count > 0 && per_ns > 0 ? count / per_ns : 0; }

// Multiply-adds and exponentials need the multipliers. Divisions and roots need the divider, for `divider_ns` if it
// makes all of them, or the multipliers, for `refined_ns`, or each for a part of them at the same time; the best part
// is the one with which both are busy to the end.
void add_operations(const LeastWork& work, double product_rate, double fma_rate,
                    const report::FunctionCeilings& functions, report::CeilingShare& share) {
  share.functions_ns = time_of(work.exponentials, functions.exponentials_per_ns);
  const double multipliers_ns = work.products / product_rate + work.operations / fma_rate + *share.functions_ns;
  const double divider_ns =
      time_of(work.divisions, functions.divisions_per_ns) + time_of(work.roots, functions.roots_per_ns);
  const double refined_ns =
      time_of(work.divisions, functions.refined_divisions_per_ns) + time_of(work.roots, functions.refined_roots_per_ns);
  const double both_ns =
      refined_ns > 0 ? divider_ns * (multipliers_ns + refined_ns) / (divider_ns + refined_ns) : divider_ns;
  share.operations_ns = std::max(multipliers_ns, both_ns);
  share.roots_ns = share.operations_ns - multipliers_ns;
}

bool may_be_timed(const report::Cell& cell) {
  return cell.status.state == report::CellState::pending || cell.status.state == report::CellState::ok;
}

}  // namespace

std::optional<report::VectorCeilings> best_of(const std::vector<report::CeilingsMeasurement>& measurements,
                                              int threads) {
  std::optional<report::VectorCeilings> best;
  for (const report::CeilingsMeasurement& measurement : measurements) {
    if (measurement.threads.value_or(1) != threads) continue;
    for (const report::VectorCeilings& width : measurement.widths) {
      if (!best) best.emplace();
      merge(*best, width);
    }
  }
  return best;
}

void add_best(report::Ceilings& ceilings) {
  ceilings.best = best_of(ceilings.measurements, 1);
  ceilings.teams.reset();
  std::set<int> counts;
  for (const report::CeilingsMeasurement& measurement : ceilings.measurements) {
    counts.insert(measurement.threads.value_or(1));
  }
  counts.erase(1);
  for (const int threads : counts) {
    if (!ceilings.teams) ceilings.teams.emplace();
    ceilings.teams->push_back({threads, *best_of(ceilings.measurements, threads)});
  }
}

report::Span measured_span(report::Span span, const std::vector<report::LevelCeiling>& levels) {
  span.bytes = std::clamp(span.bytes, levels.front().working_set_bytes, levels.back().working_set_bytes);
  return span;
}

std::vector<report::Span> wanted_spans(const report::Report& report, int threads) {
  std::vector<report::Span> spans;
  for (const report::Cell& cell : report.cells) {
    if (cell.threads != threads || !cell.ranked || !may_be_timed(cell)) continue;
    const std::optional<LeastWork> work = least_work(report, cell);
    if (!work) continue;
    for (const Transfer& transfer : work->transfers) {
      if (std::ranges::find(spans, transfer.span) == spans.end()) spans.push_back(transfer.span);
    }
  }
  return spans;
}

std::vector<int> wanted_threads(const report::Report& report) {
  std::set<int> counts = {1};
  for (const report::Cell& cell : report.cells) {
    if (cell.ranked && may_be_timed(cell)) counts.insert(cell.threads);
  }
  return {counts.begin(), counts.end()};
}

std::optional<report::CeilingShare> ceiling_share(const LeastWork& work, int threads, double step_ns,
                                                  const report::VectorCeilings& ceilings) {
  const bool f64 = work.dtype == catalogue::Dtype::f64;
  const double product_rate = ceilings.product_gflop_per_second(work.dtype);
  const double rate = ceilings.fma_gflop_per_second(work.dtype);
  const double fma_ns = f64 ? ceilings.fma_f64_latency_ns : ceilings.fma_f32_latency_ns;
  const double addition_ns = f64 ? ceilings.addition_f64_latency_ns : ceilings.addition_f32_latency_ns;
  if (!(product_rate > 0) || !(rate > 0) || !(fma_ns > 0) || !(addition_ns > 0) || ceilings.levels.empty() ||
      !(step_ns > 0)) {
    return std::nullopt;
  }
  const std::optional<report::FunctionCeilings>& functions = f64 ? ceilings.functions_f64 : ceilings.functions_f32;
  report::CeilingShare share;
  share.operations = work.products + work.operations;
  add_operations(work, product_rate, rate, functions.value_or(report::FunctionCeilings()), share);
  if (!add_bytes(work, ceilings, share)) return std::nullopt;
  for (double* part : {&share.operations_ns, &share.bytes_ns, &*share.functions_ns, &*share.roots_ns}) {
    *part /= std::max(1, threads);
  }
  share.chain_ns = work.chain_fmas * fma_ns + work.chain_additions * std::min(fma_ns, addition_ns);
  share.floor_ns = std::max({share.operations_ns, share.bytes_ns, share.chain_ns});
  share.bound_by = share.floor_ns == share.operations_ns ? report::BoundBy::operations
                   : share.floor_ns == share.bytes_ns    ? report::BoundBy::bytes
                                                         : report::BoundBy::chain;
  share.share = share.floor_ns / step_ns;
  share.failed = share.share > 1;
  return share;
}

std::optional<report::CeilingShare> ceiling_share(const report::Report& report, const report::Cell& cell,
                                                  double step_ns) {
  if (!report.ceilings || !report.ceilings->best || !report::is_ranked(cell)) return std::nullopt;
  const std::optional<LeastWork> work = least_work(report, cell);
  if (!work) return std::nullopt;
  const report::VectorCeilings* team = report.ceilings->best_of(cell.threads);
  return team != nullptr ? ceiling_share(*work, 1, step_ns, *team)
                         : ceiling_share(*work, cell.threads, step_ns, *report.ceilings->best);
}

std::optional<report::CeilingShare> ceiling_share_by_launch(const report::Report& report, const report::Cell& cell) {
  if (!report.ceilings || !report.ceilings->launches || !report::is_ranked(cell)) return std::nullopt;
  const report::VectorCeilings* team = report.ceilings->best_of(cell.threads);
  const std::optional<LeastWork> work = least_work(report, cell);
  if (!work || team == nullptr) return std::nullopt;
  const ByLaunch steps = step_by_launch(cell);
  std::vector<report::CeilingShare> shares;
  std::vector<stats::Pair> pairs;
  std::set<int> launches;
  for (const report::LaunchCeilings& measured : *report.ceilings->launches) {
    const auto step = steps.find(measured.launch);
    const bool is_of_cell = measured.threads.value_or(1) == cell.threads &&
                            std::ranges::find(measured.scenarios, cell.scenario) != measured.scenarios.end();
    if (!is_of_cell || step == steps.end()) continue;
    if (!launches.insert(measured.launch).second) return std::nullopt;  // of merged parts: whose, nobody knows
    report::VectorCeilings ceilings = measured.best;
    for (const report::LevelCeiling& level : team->levels) {
      ceilings.levels.push_back({level.level, level.capacity_bytes, level.working_set_bytes, 0, 0, 0});
    }
    const std::optional<report::CeilingShare> share = ceiling_share(*work, 1, step->second, ceilings);
    if (!share || !(share->floor_ns > 0)) return std::nullopt;
    shares.push_back(*share);
    pairs.push_back({measured.launch, step->second, share->floor_ns});
  }
  if (shares.empty()) return std::nullopt;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle, {}, &report::CeilingShare::share);
  const stats::Estimate estimate = stats::paired_ratio(pairs);
  report::CeilingShare share = *middle;
  const double in_proportion = estimate.value * step_time(cell).value / share.floor_ns;
  for (double* part : {&share.floor_ns, &share.operations_ns, &share.bytes_ns, &share.chain_ns, &*share.functions_ns,
                       &*share.roots_ns}) {
    *part *= in_proportion;
  }
  share.share = estimate.value;
  share.interval = estimate.interval;
  share.failed = estimate.interval.low > 1;
  return share;
}

void add_ceiling_shares(report::Report& report) {
  if (!report.ceilings) return;
  add_best(*report.ceilings);
  if (!report.ceilings->best) return;
  for (report::Cell& cell : report.cells) {
    if (!cell.summary) continue;
    cell.summary->ceiling = ceiling_share_by_launch(report, cell);
    if (!cell.summary->ceiling) cell.summary->ceiling = ceiling_share(report, cell, cell.summary->step_ns.value);
  }
}

}  // namespace gdbench::analysis
