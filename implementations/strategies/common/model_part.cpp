#include "implementations/strategies/common/model_part.h"

#include <algorithm>

namespace gdbench::strategies {
namespace {

Range hull(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

}  // namespace

ModelPart both(const ModelPart& a, const ModelPart& b) {
  ModelPart part = of_layers(hull(a.layers, b.layers));
  if (a.parameters.empty() || b.parameters.empty() || a.use == b.use) {
    part.parameters = hull(a.parameters, b.parameters);
    part.use = a.parameters.empty() ? b.use : a.use;
    return part;
  }
  const ModelPart& stronger = a.use > b.use ? a : b;
  part.parameters = stronger.parameters;
  part.use = stronger.use;
  return part;
}

ModelPart whole_model(const gdbench_problem& problem) {
  std::int64_t parameters = 0;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) parameters += problem.layers[l].has_bias != 0 ? 2 : 1;
  return {{0, problem.layer_count - 1}, {0, parameters - 1}, GDBENCH_UPDATES_PARAMETERS};
}

gdbench_model_part to_abi(const ModelPart& part) {
  return {sizeof(gdbench_model_part),
          part.layers.first,
          part.layers.last,
          part.parameters.first,
          part.parameters.last,
          part.use,
          0};
}

}  // namespace gdbench::strategies
