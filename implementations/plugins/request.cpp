#include "implementations/plugins/request.h"

#include <optional>
#include <string>

#include "harness/abi/catalogue.h"
#include "implementations/common/failure.h"

namespace gdbench::plugins {
namespace {

using implementations::Failure;

[[noreturn]] void refuse(const std::string& reason) { throw Failure(GDBENCH_UNSUPPORTED, reason); }
[[noreturn]] void reject(const std::string& reason) { throw Failure(GDBENCH_INVALID, reason); }

// Of a task, dtype, activation, loss or optimizer that the host asks for.
template <catalogue::Catalogued Enum>
void check_offered(std::uint32_t mask, std::int32_t number, const char* what) {
  const std::optional<Enum> value = catalogue::find<Enum>(number);
  if (!value) reject(std::string("unknown ") + what);
  if ((mask & bit_of(*value)) == 0) refuse(std::string(what) + " " + name_of(*value));
}

void check_capability(const gdbench_implementation& implementation, gdbench_capability capability, bool needed,
                      const char* what) {
  if (needed && (implementation.capabilities & GDBENCH_BIT(capability)) == 0) refuse(what);
}

void check_chain(const gdbench_data& data, const gdbench_problem& problem) {
  const gdbench_layer* layers = problem.layers;
  for (std::int64_t l = 1; l < problem.layer_count; ++l) {
    if (layers[l].inputs != layers[l - 1].outputs) reject("a layer's inputs differ from the outputs before it");
  }
  if (layers[0].inputs != data.features) reject("the first layer's inputs differ from the data's features");
  if (layers[problem.layer_count - 1].outputs != data.outputs) {
    reject("the last layer's outputs differ from the data's outputs");
  }
  const bool labels = catalogue::takes_labels(problem);
  if (data.stream == nullptr && (data.x == nullptr || (labels ? data.labels == nullptr : data.y == nullptr))) {
    reject(labels ? "cross-entropy needs resident labels" : "a squared error needs resident targets");
  }
}

// Of the task update: layers are tensors, the data is one row of their gradients.
void check_tensors(const gdbench_data& data, const gdbench_problem& problem) {
  std::int64_t size = 0;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    if (problem.layers[l].has_bias != 0) reject("the task update with a bias");
    size += problem.layers[l].inputs * problem.layers[l].outputs;
  }
  if (data.x == nullptr || data.rows != 1 || problem.batch_rows != 1) {
    reject("the task update needs one resident row of gradients");
  }
  if (data.features != size) {
    reject("the task update: found " + std::to_string(data.features) + " gradients, expected " + std::to_string(size));
  }
}

void check_shapes(const gdbench_data& data, const gdbench_problem& problem) {
  if (problem.layer_count < 1) reject("a model without layers");
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    if (problem.layers[l].inputs < 1 || problem.layers[l].outputs < 1) reject("a layer without inputs or outputs");
  }
  if (catalogue::dtype_of(data) != catalogue::storage_of(catalogue::dtype_of(problem))) {
    reject("data and problem have different dtypes");
  }
  if (catalogue::task_of(problem) == catalogue::Task::update) {
    check_tensors(data, problem);
  } else {
    check_chain(data, problem);
  }
}

void check_ranks(const gdbench_implementation& implementation, const gdbench_ranks* ranks) {
  check_capability(implementation, GDBENCH_CAPABILITY_RANKS, ranks != nullptr,
                   "ranks: only ids with the policy +mpi train as one of several");
  if (ranks == nullptr) return;
  if (ranks->rank < 0 || ranks->rank >= ranks->count) {
    reject("rank " + std::to_string(ranks->rank) + " of " + std::to_string(ranks->count));
  }
}

}  // namespace

void check_request(const gdbench_implementation& implementation, const gdbench_data& data,
                   const gdbench_problem& problem, const gdbench_settings& settings) {
  const gdbench_optimizer& optimizer = *problem.optimizer;
  check_offered<catalogue::Task>(implementation.tasks, problem.task, "task");
  check_offered<catalogue::Dtype>(implementation.dtypes, problem.dtype, "dtype");
  check_offered<catalogue::Loss>(implementation.losses, problem.loss, "loss");
  if (catalogue::task_of(problem) == catalogue::Task::gradients &&
      !catalogue::row_of(catalogue::loss_of(problem).kind).sums_over_columns) {
    reject("the task gradients with a loss that is no sum over output columns");
  }
  check_offered<catalogue::OptimizerKind>(implementation.optimizers, optimizer.kind, "optimizer");
  check_shapes(data, problem);
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    check_offered<catalogue::Activation>(implementation.activations, problem.layers[l].activation, "activation");
  }
  if (implementation.max_layers > 0 && problem.layer_count > implementation.max_layers) {
    refuse("more than " + std::to_string(implementation.max_layers) + " layers");
  }
  if (implementation.max_compute_threads > 0 && settings.compute_threads > implementation.max_compute_threads) {
    refuse("more than " + std::to_string(implementation.max_compute_threads) + " compute thread(s)");
  }
  if (optimizer.learning_rate_count < 1) reject("an optimizer without a learning rate");
  if (problem.micro_batches < 1) reject("fewer than one micro-batch");
  check_capability(implementation, GDBENCH_CAPABILITY_SHUFFLE, data.order != nullptr, "shuffled batches");
  check_capability(implementation, GDBENCH_CAPABILITY_STREAM, data.stream != nullptr, "streamed data");
  check_capability(implementation, GDBENCH_CAPABILITY_MICRO_BATCHES, problem.micro_batches > 1, "micro-batches");
  check_capability(implementation, GDBENCH_CAPABILITY_DROP_LAST, problem.drops_last_batch != 0,
                   "a smaller last batch that is left out");
  check_capability(implementation, GDBENCH_CAPABILITY_WEIGHT_DECAY, optimizer.weight_decay != 0, "weight decay");
  check_capability(implementation, GDBENCH_CAPABILITY_SCHEDULE, optimizer.learning_rate_count > 1,
                   "learning-rate schedules");
  check_capability(implementation, GDBENCH_CAPABILITY_EPSILON_PLACE, optimizer.epsilon_place != GDBENCH_EPSILON_OUTSIDE,
                   "epsilon elsewhere than outside the root");
  for (std::int64_t l = 0; problem.normalizations != nullptr && l < problem.layer_count; ++l) {
    if (!catalogue::find<catalogue::Normalization>(problem.normalizations[l])) reject("unknown normalization");
    check_capability(implementation, GDBENCH_CAPABILITY_NORMALIZATIONS,
                     problem.normalizations[l] != GDBENCH_NO_NORMALIZATION, "normalised layers");
  }
  check_ranks(implementation, settings.ranks);
}

}  // namespace gdbench::plugins
