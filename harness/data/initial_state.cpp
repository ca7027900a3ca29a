#include "harness/data/initial_state.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/data/npy.h"

namespace gdbench::data {

namespace {

using catalogue::LayerPart;
using scenario::Distribution;

double draw(Random& random, Distribution distribution, const scenario::ParameterShape& shape) {
  const auto inputs = static_cast<double>(shape.inputs);
  if (distribution == Distribution::uniform) {
    const double bound = std::sqrt(1 / inputs);
    return random.uniform(-bound, bound);
  }
  if (shape.part != LayerPart::weights) return 0;
  if (distribution == Distribution::glorot) {
    const double bound = std::sqrt(6 / (inputs + static_cast<double>(shape.columns)));
    return random.uniform(-bound, bound);
  }
  if (distribution == Distribution::normal) return random.normal();
  return random.normal() * std::sqrt((distribution == Distribution::he ? 2 : 1) / inputs);
}

// From FILE.npz/NAME, or from FILENAME.npy where `path` is FILEw0.npy.
Result<std::vector<double>> read_parameter(const std::filesystem::path& path, const scenario::ParameterShape& shape) {
  constexpr std::string_view kFirst = "w0.npy";
  const std::string name = path.filename().string();
  std::filesystem::path file = path / shape.name;
  if (path.extension() != ".npz") {
    if (!name.ends_with(kFirst)) return file_error(path, "that name", "FILE.npz, or FILEw0.npy next to FILEb0.npy ...");
    file = path.parent_path() / (name.substr(0, name.size() - kFirst.size()) + shape.name + ".npy");
  }
  if (shape.part == LayerPart::weights) return read_npy_array(file, {shape.rows, shape.columns});
  return read_npy_array(file, {shape.columns});
}

}  // namespace

Result<scenario::State> make_initial_state(const scenario::Problem& problem, const scenario::Initial& initial) {
  scenario::State state;
  Random random(initial.seed);
  for (const scenario::ParameterShape& shape : parameter_shapes(problem)) {
    std::vector<double>& values = state.parameters.emplace_back(static_cast<std::size_t>(shape.size()));
    if (!initial.path.empty()) {
      values = TRY(read_parameter(initial.path, shape));
    } else if (shape.part == LayerPart::scale) {
      std::ranges::fill(values, 1.0);
    } else if (shape.part != LayerPart::shift) {
      for (double& value : values) value = initial.scale * draw(random, initial.distribution, shape);
    }
    for (double& value : values) value = catalogue::rounded_to(problem.dtype, value);
  }
  for (std::size_t slot = 0; slot < slot_count(problem.optimizer.kind); ++slot) {
    for (const std::vector<double>& parameter : state.parameters) state.slots.emplace_back(parameter.size(), 0.0);
  }
  if (problem.task == scenario::Task::forward) state.parameters.push_back({0.0});  // the sum of losses
  if (catalogue::scales_loss(problem.dtype)) state.loss_scaling = {problem.loss_scaling.initial, 0, 0};
  return state;
}

}  // namespace gdbench::data
