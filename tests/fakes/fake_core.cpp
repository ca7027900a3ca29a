#include "fake_core.h"

#include <algorithm>
#include <type_traits>

#include "harness/abi/catalogue.h"

namespace {

const gdbench_host* current_host = nullptr;
gdbench_implementation implementation{};

double element(const void* array, std::int32_t dtype, std::int64_t index) {
  return dtype == GDBENCH_F32 ? static_cast<double>(static_cast<const float*>(array)[index])
                              : static_cast<const double*>(array)[index];
}

// Calls visit(the host's entry, our own) for all parameters and slots.
template <class Visit>
void visit_state(gdbench_instance& instance, const gdbench_state& state, const Visit& visit) {
  using gdbench::catalogue::Dtype;
  for (std::int64_t slot = -1; slot < state.slot_count; ++slot) {
    const gdbench_tensor* tensors = slot < 0 ? state.parameters : state.slots + slot * state.parameter_count;
    double* own = (slot < 0 ? instance.parameters : instance.slots[slot]).data();
    gdbench::catalogue::with_element(static_cast<Dtype>(instance.problem->dtype), [&](auto zero) {
      for (std::int64_t t = 0; t < state.parameter_count; ++t) {
        auto* const entries = static_cast<decltype(zero)*>(tensors[t].data);
        for (std::int64_t i = 0; i < tensors[t].rows * tensors[t].columns; ++i) visit(entries[i], *own++);
      }
    });
  }
}

std::int64_t steps_per_epoch(const gdbench_instance& instance) {
  const gdbench_problem& problem = *instance.problem;
  return (instance.data->rows + (problem.drops_last_batch != 0 ? 0 : problem.batch_rows - 1)) / problem.batch_rows;
}

}  // namespace

gdbench_status fake_error(gdbench_status status, const char* message) {
  current_host->set_error(current_host->context, message);
  return status;
}

void fake_destroy(gdbench_instance* instance) { delete instance; }

gdbench_status fake_prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings*) {
  const gdbench_layer& layer = problem->layers[0];
  instance->problem = problem;
  instance->parameters.assign(static_cast<std::size_t>((layer.inputs + layer.has_bias) * layer.outputs), 0.0);
  instance->gradient = instance->slots[0] = instance->slots[1] = instance->parameters;
  return GDBENCH_OK;
}

gdbench_status fake_set_state(gdbench_instance* instance, const gdbench_state* state) {
  instance->step = state->step;
  visit_state(*instance, *state, [](auto& entry, double& own) { own = static_cast<double>(entry); });
  return GDBENCH_OK;
}

gdbench_status fake_get_state(gdbench_instance* instance, gdbench_state* state) {
  state->step = instance->step;
  visit_state(*instance, *state,
              [](auto& entry, double& own) { entry = static_cast<std::remove_reference_t<decltype(entry)>>(own); });
  return GDBENCH_OK;
}

double fake_residual(const gdbench_instance& instance, std::int64_t row, std::int64_t output) {
  const gdbench_data& data = *instance.data;
  const auto parameter = [&](std::int64_t f) {
    return instance.parameters[static_cast<std::size_t>(f * data.outputs + output)];
  };
  double prediction = instance.problem->layers[0].has_bias ? parameter(data.features) : 0;
  for (std::int64_t f = 0; f < data.features; ++f) {
    prediction += element(data.x, data.dtype, row * data.features + f) * parameter(f);
  }
  return prediction - element(data.y, data.dtype, row * data.outputs + output);
}

FakeRows fake_batch(const gdbench_instance& instance) {
  const std::int64_t first = instance.step % steps_per_epoch(instance) * instance.problem->batch_rows;
  return {first, std::min(first + instance.problem->batch_rows, instance.data->rows)};
}

void fake_add_gradient(gdbench_instance& instance, const FakeRows& rows, double divisor) {
  const gdbench_data& data = *instance.data;
  // Without an order there is no number of epochs.
  const std::int64_t epoch = data.order != nullptr ? instance.step / steps_per_epoch(instance) % data.epochs : 0;
  const double factor = instance.problem->loss == GDBENCH_MSE ? 2.0 : 1.0;
  const double scale = instance.gradient_factor * factor / (divisor * static_cast<double>(data.outputs));
  for (std::int64_t position = rows.first; position < rows.last; ++position) {
    const std::int64_t row = data.order != nullptr ? data.order[epoch * data.rows + position] : position;
    for (std::int64_t o = 0; o < data.outputs; ++o) {
      const double derivative = scale * fake_residual(instance, row, o);
      const auto entry = [&](std::int64_t f) -> double& {
        return instance.gradient[static_cast<std::size_t>(f * data.outputs + o)];
      };
      for (std::int64_t f = 0; f < data.features; ++f) {
        entry(f) += derivative * element(data.x, data.dtype, row * data.features + f);
      }
      if (instance.problem->layers[0].has_bias) entry(data.features) += derivative;
    }
  }
}

void fake_update(gdbench_instance& instance) {
  const gdbench_optimizer& optimizer = *instance.problem->optimizer;
  const double rate = optimizer.learning_rates[std::min(instance.step, optimizer.learning_rate_count - 1)];
  for (std::size_t i = 0; i < instance.parameters.size(); ++i) instance.parameters[i] -= rate * instance.gradient[i];
  instance.step += 1;
}

gdbench_status fake_run(gdbench_instance* instance, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    const FakeRows batch = fake_batch(*instance);
    std::ranges::fill(instance->gradient, 0);
    fake_add_gradient(*instance, batch, static_cast<double>(batch.count()));
    fake_update(*instance);
  }
  return GDBENCH_OK;
}

gdbench_implementation* fake_implementation(const gdbench_host* host, const char* id, const char* description) {
  current_host = host;
  implementation = {};
  implementation.struct_size = sizeof implementation;
  implementation.id = id;
  implementation.description = description;
  implementation.tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN);
  implementation.dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64);
  implementation.activations = GDBENCH_BIT(GDBENCH_IDENTITY);
  implementation.losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE);
  implementation.optimizers = GDBENCH_BIT(GDBENCH_SGD);
  implementation.capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE) |
                                GDBENCH_BIT(GDBENCH_CAPABILITY_DROP_LAST);
  implementation.max_layers = 1;
  implementation.max_compute_threads = 1;
  implementation.create = fake_create<0>;
  implementation.destroy = fake_destroy;
  implementation.load = [](gdbench_instance* instance, const gdbench_data* data) {
    instance->data = data;
    return GDBENCH_OK;
  };
  implementation.prepare = fake_prepare;
  implementation.set_state = fake_set_state;
  implementation.get_state = fake_get_state;
  implementation.run = fake_run;
  return &implementation;
}

gdbench_plugin* fake_plugin() {
  static const gdbench_implementation* const implementations[] = {&implementation};
  static gdbench_plugin plugin = {sizeof plugin, GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, "fake", "1", 1, implementations};
  return &plugin;
}
