#include <cmath>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/data/dataset.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

Result<scenario::Problem> make_problem(const scenario::Scenario& scenario, const Dataset& dataset) {
  const scenario::DataShape shape = {dataset.rows, dataset.features, dataset.outputs};
  std::optional<scenario::Fault> fault = scenario::find_target_fault(scenario);
  if (!fault) fault = scenario::find_shape_fault(scenario, shape);
  if (fault) {
    const std::string name = scenario.file.empty() ? "scenario " + scenario.name : scenario.file.string();
    return usage_error(
        one_line(name + ": " + fault->pointer + ": found " + fault->found + ", expected " + fault->expected));
  }
  scenario::Problem problem;
  problem.task = scenario.task;
  problem.dtype = scenario.dtype;
  problem.layers = scenario::layers_of(scenario.model, shape);
  problem.loss = scenario.loss;
  problem.rows = dataset.rows;
  problem.batch_rows = scenario.batch.rows.value_or(dataset.rows);
  problem.micro_batches = scenario.batch.micro_batches;
  problem.optimizer = scenario.optimizer;
  return problem;
}

scenario::State make_initial_state(const scenario::Problem& problem, std::uint64_t seed) {
  scenario::State state;
  Random random(seed);
  const auto add = [&](std::int64_t count, double bound) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
      value = catalogue::rounded_to(problem.dtype, random.uniform(-bound, bound));
    }
    state.parameters.push_back(std::move(values));
  };
  for (const scenario::Layer& layer : problem.layers) {
    const double bound = std::sqrt(1 / static_cast<double>(layer.inputs));
    add(layer.inputs * layer.outputs, bound);
    if (layer.bias) add(layer.outputs, bound);
  }
  for (std::size_t slot = 0; slot < slot_count(problem.optimizer.kind); ++slot) {
    for (const std::vector<double>& parameter : state.parameters) {
      state.slots.emplace_back(parameter.size(), 0.0);
    }
  }
  return state;
}

}  // namespace gdbench::data
