#include "harness/result/ceilings.h"

#include <algorithm>
#include <cmath>

namespace gdbench::result {

namespace {

using nlohmann::json;

void keep_higher(double& best, double found) {
  if (found > best) best = found;
}

void keep_shorter(double& best, double found) {
  if (found > 0 && (best <= 0 || found < best)) best = found;
}

void merge_level(std::vector<LevelCeiling>& levels, const LevelCeiling& found) {
  const auto known =
      std::find_if(levels.begin(), levels.end(), [&](const LevelCeiling& level) { return level.level == found.level; });
  if (known == levels.end()) {
    levels.push_back(found);
    return;
  }
  if (found.read_gb_per_second > known->read_gb_per_second) {
    known->read_gb_per_second = found.read_gb_per_second;
    known->read_streams = found.read_streams;
  }
  keep_higher(known->update_gb_per_second, found.update_gb_per_second);
}

void merge(VectorCeilings& best, const VectorCeilings& found) {
  if (found.fma_f32_gflop_per_second > best.fma_f32_gflop_per_second) {
    best.vectors = found.vectors;
    best.bits = found.bits;
  }
  keep_higher(best.fma_f32_gflop_per_second, found.fma_f32_gflop_per_second);
  keep_higher(best.fma_f64_gflop_per_second, found.fma_f64_gflop_per_second);
  keep_shorter(best.fma_f32_latency_ns, found.fma_f32_latency_ns);
  keep_shorter(best.fma_f64_latency_ns, found.fma_f64_latency_ns);
  keep_shorter(best.addition_f32_latency_ns, found.addition_f32_latency_ns);
  keep_shorter(best.addition_f64_latency_ns, found.addition_f64_latency_ns);
  for (const LevelCeiling& level : found.levels) merge_level(best.levels, level);
}

struct LayerShape {
  double inputs = 0;
  double outputs = 0;
  bool bias = false;
};

// A string member of an object; empty where there is none.
std::string text_of(const json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : "";
}

bool has_bias(const json& object, bool otherwise) {
  const auto bias = object.find("bias");
  return bias != object.end() && bias->is_boolean() ? bias->get<bool>() : otherwise;
}

// Empty where the model is not one of those that scenario files describe.
std::vector<LayerShape> layers_of(const ScenarioRecord& scenario) {
  const auto model = scenario.resolved.find("model");
  if (model == scenario.resolved.end() || !model->is_object()) return {};
  auto inputs = static_cast<double>(scenario.features);
  const auto layers = model->find("layers");
  if (layers == model->end()) {
    if (text_of(*model, "kind") != "linear_regression") return {};
    return {{inputs, static_cast<double>(scenario.outputs), has_bias(*model, true)}};
  }
  if (!layers->is_array()) return {};
  std::vector<LayerShape> shapes;
  for (const json& layer : *layers) {
    const auto width = layer.is_object() ? layer.find("width") : layer.end();
    if (!layer.is_object() || width == layer.end() || !width->is_number_integer()) return {};
    shapes.push_back({inputs, width->get<double>(), has_bias(layer, true)});
    inputs = shapes.back().outputs;
  }
  return shapes;
}

// Tensors that an optimizer keeps per parameter. An unknown one counts none: the floor stays a floor.
int slots_of(const json& resolved) {
  const auto optimizer = resolved.find("optimizer");
  const std::string kind = optimizer != resolved.end() && optimizer->is_object() ? text_of(*optimizer, "kind") : "";
  if (kind == "adam" || kind == "adamw") return 2;
  return kind == "momentum" || kind == "nesterov" || kind == "adagrad" || kind == "rmsprop" ? 1 : 0;
}

// Whether features are 0 so often that skipping them is allowed: then the formulas' work is not the least.
bool is_masked(const json& resolved) {
  const auto data = resolved.find("data");
  return data != resolved.end() && data->is_object() && data->contains("density");
}

// A sum of `terms` products: one FMA, then a tree.
void add_sum(double terms, LeastWork& work) {
  ++work.chain_fmas;
  work.chain_additions += std::max(0, static_cast<int>(std::ceil(std::log2(std::max(1.0, terms)))) - 1);
}

// The longest time that one of the levels needs, and which.
std::pair<double, std::string> bytes_floor(const LeastWork& work, const std::vector<LevelCeiling>& levels) {
  double longest = 0;
  std::string level_name;
  double closer = 0;  // capacity of the caches before this level, in bytes
  for (const LevelCeiling& level : levels) {
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
LeastWork work_of_update(const ScenarioRecord& scenario, bool f64) {
  LeastWork work;
  work.f64 = f64;
  const double tensor_bytes = (f64 ? 8 : 4) * static_cast<double>(scenario.parameters);
  const double state_bytes = tensor_bytes * (1 + slots_of(scenario.resolved));
  work.read_bytes = tensor_bytes + state_bytes;
  work.written_bytes = state_bytes;
  work.working_set_bytes = work.read_bytes;
  work.chain_fmas = 1;
  return work;
}

}  // namespace

std::optional<VectorCeilings> best_of(const std::vector<CeilingsMeasurement>& measurements) {
  std::optional<VectorCeilings> best;
  for (const CeilingsMeasurement& measurement : measurements) {
    for (const VectorCeilings& width : measurement.widths) {
      if (!best) best.emplace();
      merge(*best, width);
    }
  }
  return best;
}

std::optional<LeastWork> least_work(const ScenarioRecord& scenario, double block_steps) {
  const json& resolved = scenario.resolved;
  if (!resolved.is_object() || is_masked(resolved)) return std::nullopt;
  const std::string task = text_of(resolved, "task");
  const std::string dtype = text_of(resolved, "dtype");
  if (task == "update" && (dtype == "f32" || dtype == "f64")) return work_of_update(scenario, dtype == "f64");
  const std::string loss = text_of(resolved, "loss");
  const std::vector<LayerShape> layers = layers_of(scenario);
  const bool by_output = task == "gradients";
  if ((!task.empty() && task != "train" && !by_output) || (dtype != "f32" && dtype != "f64") || loss.empty() ||
      layers.empty()) {
    return std::nullopt;
  }
  LeastWork work;
  work.f64 = dtype == "f64";
  const double size = work.f64 ? 8 : 4;
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
      loss == "softmax_cross_entropy" ? kLabelBytes : size * static_cast<double>(scenario.outputs);
  const double row_bytes = size * static_cast<double>(scenario.features) + target_bytes;
  const double state_bytes = size * static_cast<double>(scenario.parameters) * (1 + slots_of(resolved));
  work.read_bytes = batch * row_bytes + state_bytes;
  work.written_bytes = state_bytes;
  const double visited = std::min(static_cast<double>(scenario.rows), batch * std::max(1.0, block_steps));
  work.working_set_bytes = visited * row_bytes + state_bytes;
  return work;
}

std::optional<CeilingShare> ceiling_share(const LeastWork& work, int threads, double step_ns,
                                          const VectorCeilings& ceilings) {
  const double rate = work.f64 ? ceilings.fma_f64_gflop_per_second : ceilings.fma_f32_gflop_per_second;
  const double fma_ns = work.f64 ? ceilings.fma_f64_latency_ns : ceilings.fma_f32_latency_ns;
  const double addition_ns = work.f64 ? ceilings.addition_f64_latency_ns : ceilings.addition_f32_latency_ns;
  if (!(rate > 0) || !(fma_ns > 0) || !(addition_ns > 0) || ceilings.levels.empty() || !(step_ns > 0)) {
    return std::nullopt;
  }
  CeilingShare share;
  share.operations_ns = work.operations / rate / std::max(1, threads);
  const auto [bytes_ns, level] = bytes_floor(work, ceilings.levels);
  share.bytes_ns = bytes_ns / std::max(1, threads);
  share.level = level;
  share.chain_ns = work.chain_fmas * fma_ns + work.chain_additions * std::min(fma_ns, addition_ns);
  share.floor_ns = std::max({share.operations_ns, share.bytes_ns, share.chain_ns});
  share.bound_by = share.floor_ns == share.operations_ns ? BoundBy::operations
                   : share.floor_ns == share.bytes_ns    ? BoundBy::bytes
                                                         : BoundBy::chain;
  share.share = share.floor_ns / step_ns;
  share.failed = share.share > 1;
  return share;
}

std::optional<CeilingShare> ceiling_share(const Report& report, const Cell& cell, double step_ns) {
  const ScenarioRecord* scenario = report.find_scenario(cell.scenario);
  if (!report.ceilings || !report.ceilings->best || !is_ranked(cell) || scenario == nullptr) return std::nullopt;
  const double steps = cell.block ? static_cast<double>(cell.block->steps + cell.block->warm_up_steps) : 1;
  const std::optional<LeastWork> work = least_work(*scenario, steps);
  return work ? ceiling_share(*work, cell.threads, step_ns, *report.ceilings->best) : std::nullopt;
}

void add_ceiling_shares(Report& report) {
  if (!report.ceilings) return;
  report.ceilings->best = best_of(report.ceilings->measurements);
  if (!report.ceilings->best) return;
  for (Cell& cell : report.cells) {
    if (cell.summary) cell.summary->ceiling = ceiling_share(report, cell, cell.summary->step_ns.value);
  }
}

}  // namespace gdbench::result
