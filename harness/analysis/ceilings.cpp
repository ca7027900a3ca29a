#include "harness/analysis/ceilings.h"

#include <algorithm>
#include <cmath>

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
  for (const report::LevelCeiling& level : found.levels) merge_level(best.levels, level);
}

struct LayerShape {
  double inputs = 0;
  double outputs = 0;
  bool bias = false;
};

// Empty where the report does not say them.
std::vector<LayerShape> layers_of(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  auto inputs = static_cast<double>(scenario.features);
  if (resolved.model == catalogue::ModelKind::linear_regression) {
    return {{inputs, static_cast<double>(scenario.outputs), resolved.bias}};
  }
  std::vector<LayerShape> shapes;
  for (const report::LayerRecord& layer : resolved.layers) {
    shapes.push_back({inputs, static_cast<double>(layer.width), layer.bias});
    inputs = shapes.back().outputs;
  }
  return shapes;
}

// Of the parameters and what the optimizer keeps. A report that names no optimizer counts none: the floor stays a
// floor.
double state_bytes_of(const report::ScenarioRecord& scenario, catalogue::Dtype dtype) {
  const std::optional<catalogue::OptimizerKind> optimizer = scenario.resolved.optimizer;
  const std::size_t tensors = 1 + (optimizer ? catalogue::slot_count(*optimizer) : 0);
  return static_cast<double>(tensors * catalogue::size_of(dtype)) * static_cast<double>(scenario.parameters);
}

// A sum of `terms` products: one FMA, then a tree.
void add_sum(double terms, LeastWork& work) {
  ++work.chain_fmas;
  work.chain_additions += std::max(0, static_cast<int>(std::ceil(std::log2(std::max(1.0, terms)))) - 1);
}

// The longest time that one of the levels needs, and which.
std::pair<double, std::string> bytes_floor(const LeastWork& work, const std::vector<report::LevelCeiling>& levels) {
  double longest = 0;
  std::string level_name;
  double closer = 0;  // capacity of the caches before this level, in bytes
  for (const report::LevelCeiling& level : levels) {
    const double fastest = std::max(level.read_gb_per_second, level.update_gb_per_second);
    const double missed = std::max(0.0, 1 - closer / std::max(1.0, work.working_set_bytes));
    if (level.read_gb_per_second > 0) {
      const double reads_ns = work.read_bytes / level.read_gb_per_second;  // 1e9 bytes a second: bytes a nanosecond
      const double all_ns = (work.read_bytes + work.written_bytes) / fastest;
      const double needed_ns = missed * std::max(reads_ns, all_ns);
      if (needed_ns > longest) {
        longest = needed_ns;
        level_name = level.level;
      }
    }
    closer += static_cast<double>(level.capacity_bytes);  // as if no cache held what another one holds
  }
  return {longest, level_name};
}

// The task update: gradients, parameters and slots read once, parameters and slots written once; each entry's new value
// takes at least an FMA from the old one.
LeastWork work_of_update(const report::ScenarioRecord& scenario, catalogue::Dtype dtype) {
  LeastWork work;
  work.dtype = dtype;
  work.written_bytes = state_bytes_of(scenario, dtype);
  work.read_bytes =
      static_cast<double>(catalogue::size_of(dtype)) * static_cast<double>(scenario.parameters) + work.written_bytes;
  work.working_set_bytes = work.read_bytes;
  work.chain_fmas = 1;
  return work;
}

}  // namespace

std::optional<report::VectorCeilings> best_of(const std::vector<report::CeilingsMeasurement>& measurements) {
  std::optional<report::VectorCeilings> best;
  for (const report::CeilingsMeasurement& measurement : measurements) {
    for (const report::VectorCeilings& width : measurement.widths) {
      if (!best) best.emplace();
      merge(*best, width);
    }
  }
  return best;
}

std::optional<LeastWork> least_work(const report::ScenarioRecord& scenario, double block_steps) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  // Features that are 0 may be skipped: then the formulas' work is not the least.
  if (resolved.density || !resolved.dtype || resolved.task == catalogue::Task::floor) return std::nullopt;
  if (resolved.task == catalogue::Task::update) return work_of_update(scenario, *resolved.dtype);
  const std::vector<LayerShape> layers = layers_of(scenario);
  if (!resolved.loss || layers.empty()) return std::nullopt;
  const bool by_output = resolved.task == catalogue::Task::gradients;
  LeastWork work;
  work.dtype = *resolved.dtype;
  const auto size = static_cast<double>(catalogue::size_of(work.dtype));
  const auto batch = static_cast<double>(scenario.batch_rows);
  const double columns = by_output ? layers.back().outputs : 1;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerShape& layer = layers[l];
    const bool last = l + 1 == layers.size();
    // Forward; backward the gradient of W and, unless the layer's input is X, of that input.
    const double backward = (l == 0 ? 1 : 2) * (last ? 1 : columns);
    work.operations += (1 + backward) * 2 * batch * layer.inputs * layer.outputs;
    add_sum(layer.inputs + (layer.bias ? 1 : 0), work);
    if (l > 0) add_sum(last && by_output ? 1 : layer.outputs, work);
  }
  add_sum(batch * (layers.size() > 1 ? columns : 1) + 1, work);

  constexpr double kLabelBytes = 4;
  const double target_bytes =
      catalogue::takes_labels(*resolved.loss) ? kLabelBytes : size * static_cast<double>(scenario.outputs);
  const double row_bytes = size * static_cast<double>(scenario.features) + target_bytes;
  const double state_bytes = state_bytes_of(scenario, work.dtype);
  work.read_bytes = batch * row_bytes + state_bytes;
  work.written_bytes = state_bytes;
  const double visited = std::min(static_cast<double>(scenario.rows), batch * std::max(1.0, block_steps));
  work.working_set_bytes = visited * row_bytes + state_bytes;
  return work;
}

std::optional<report::CeilingShare> ceiling_share(const LeastWork& work, int threads, double step_ns,
                                                  const report::VectorCeilings& ceilings) {
  const bool f64 = work.dtype == catalogue::Dtype::f64;
  const double rate = f64 ? ceilings.fma_f64_gflop_per_second : ceilings.fma_f32_gflop_per_second;
  const double fma_ns = f64 ? ceilings.fma_f64_latency_ns : ceilings.fma_f32_latency_ns;
  const double addition_ns = f64 ? ceilings.addition_f64_latency_ns : ceilings.addition_f32_latency_ns;
  if (!(rate > 0) || !(fma_ns > 0) || !(addition_ns > 0) || ceilings.levels.empty() || !(step_ns > 0)) {
    return std::nullopt;
  }
  report::CeilingShare share;
  share.operations_ns = work.operations / rate / std::max(1, threads);
  const auto [bytes_ns, level] = bytes_floor(work, ceilings.levels);
  share.bytes_ns = bytes_ns / std::max(1, threads);
  share.level = level;
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
  const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
  if (!report.ceilings || !report.ceilings->best || !report::is_ranked(cell) || scenario == nullptr)
    return std::nullopt;
  const double steps = cell.block ? static_cast<double>(cell.block->steps + cell.block->warm_up_steps) : 1;
  const std::optional<LeastWork> work = least_work(*scenario, steps);
  return work ? ceiling_share(*work, cell.threads, step_ns, *report.ceilings->best) : std::nullopt;
}

void add_ceiling_shares(report::Report& report) {
  if (!report.ceilings) return;
  report.ceilings->best = best_of(report.ceilings->measurements);
  if (!report.ceilings->best) return;
  for (report::Cell& cell : report.cells) {
    if (cell.summary) cell.summary->ceiling = ceiling_share(report, cell, cell.summary->step_ns.value);
  }
}

}  // namespace gdbench::analysis
