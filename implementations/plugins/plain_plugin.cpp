// loop/plain, which has no strategy and no kernels: the C interface in front of implementations/strategies/loop.
#include <omp.h>

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "harness/abi/catalogue.h"
#include "implementations/common/compute_threads.h"
#include "implementations/common/processor.h"
#include "implementations/plugins/request.h"
#include "implementations/strategies/loop/plain.h"

struct gdbench_instance {
  const gdbench_data* data = nullptr;
  std::optional<gdbench::plugins::OwnProblem> problem;
  std::unique_ptr<gdbench::loop::Trainer> trainer;
};

namespace {

const gdbench_host* the_host = nullptr;

gdbench_status report(gdbench_status status, const char* reason) {
  the_host->set_error(the_host->context, reason);
  return status;
}

gdbench_status create(gdbench_instance** instance) {
  *instance = new (std::nothrow) gdbench_instance;
  return *instance != nullptr ? GDBENCH_OK : report(GDBENCH_OUT_OF_MEMORY, "no memory for an instance");
}

void destroy(gdbench_instance* instance) { delete instance; }

gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
  const int threads = settings->compute_threads;
  if (threads > 1 && !gdbench::loop::shares(*problem, threads)) {
    const std::string reason = "a step is too small to be shared by " + std::to_string(threads) + " compute threads";
    return report(GDBENCH_UNSUPPORTED, reason.c_str());
  }
  try {
    const gdbench_problem& own = instance->problem.emplace(*problem).problem();
    instance->trainer = gdbench::loop::make_trainer(*instance->data, own, threads);
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
      gdbench::implementations::bind_to_processor_of(*settings, omp_get_thread_num());
    }
    return GDBENCH_OK;
  } catch (const std::bad_alloc&) {
    return report(GDBENCH_OUT_OF_MEMORY, "no memory for the parameters");
  }
}

gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  instance->trainer->set_state(*state);
  return GDBENCH_OK;
}

gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  instance->trainer->get_state(*state);
  return GDBENCH_OK;
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  instance->trainer->run(steps);
  return GDBENCH_OK;
}

gdbench_status evaluate(gdbench_instance* instance, std::int32_t split, double* loss) {
  const std::optional<double> mean = instance->trainer->evaluate(split);
  if (!mean) return report(GDBENCH_UNSUPPORTED, "there is nothing to evaluate");
  *loss = *mean;
  return GDBENCH_OK;
}

const gdbench_implementation* implementation() {
  static const gdbench_implementation table = {
      .struct_size = sizeof(gdbench_implementation),
      .id = "loop/plain",
      .description = "loops over rows and features, straight from the formulas; no kernels",
      .build = gdbench::loop::build(),
      .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN) | GDBENCH_BIT(GDBENCH_TASK_UPDATE) | GDBENCH_BIT(GDBENCH_TASK_GRADIENTS),
      .dtypes = gdbench::catalogue::kAll<gdbench::catalogue::Dtype>,
      .activations = gdbench::catalogue::kAll<gdbench::catalogue::Activation>,
      .losses = gdbench::catalogue::kAll<gdbench::catalogue::Loss>,
      .optimizers = gdbench::catalogue::kAll<gdbench::catalogue::OptimizerKind>,
      .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES) |
                      GDBENCH_BIT(GDBENCH_CAPABILITY_WEIGHT_DECAY) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE) |
                      GDBENCH_BIT(GDBENCH_CAPABILITY_EPSILON_PLACE),
      .max_layers = 0,
      .max_compute_threads = gdbench::implementations::kMaxComputeThreads,
      .helper_threads = 0,
      .option_count = 0,
      .options = nullptr,
      .create = create,
      .destroy = destroy,
      .load = load,
      .prepare = prepare,
      .set_state = set_state,
      .get_state = get_state,
      .run = run,
      .sync = nullptr,
      .evaluate = evaluate,
      .profile = nullptr,
      .helper_threads_in_use = nullptr,
      .unavailable = nullptr,
      .device_time = nullptr,
      .runtime = nullptr,
      .imported = nullptr,
  };
  return &table;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  the_host = host;
  if (const std::string error = gdbench::implementations::processor_error("loop/plain"); !error.empty()) {
    report(GDBENCH_UNSUPPORTED, error.c_str());
    return nullptr;
  }
  static const gdbench_implementation* const implementations[] = {implementation()};
  static const gdbench_plugin plugin = {
      .struct_size = sizeof(gdbench_plugin),
      .abi_major = GDBENCH_ABI_MAJOR,
      .abi_minor = GDBENCH_ABI_MINOR,
      .name = "plain",
      .version = GDBENCH_PLUGIN_VERSION,
      .implementation_count = 1,
      .implementations = implementations,
  };
  return &plugin;
}
