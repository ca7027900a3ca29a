// loop/plain, which has no strategy and no kernels: the C interface in front of implementations/strategies/loop.
#include <omp.h>

#include <new>
#include <string>

#include "harness/abi/catalogue.h"
#include "implementations/common/compute_threads.h"
#include "implementations/common/processor.h"
#include "implementations/plugins/exporter.h"
#include "implementations/strategies/loop/plain.h"

struct gdbench_instance : gdbench::plugins::Instance<gdbench::loop::Trainer> {
  using Instance::Instance;

  std::unique_ptr<gdbench::loop::Trainer> make() const {
    const gdbench_problem& own = problem->problem();
    const int threads = settings.compute_threads;
    if (threads > 1 && !gdbench::loop::shares(own, threads)) {
      throw gdbench::implementations::Failure(
          GDBENCH_UNSUPPORTED, "a step is too small to be shared by " + std::to_string(threads) + " compute threads");
    }
    auto trainer = gdbench::loop::make_trainer(*data, own, threads);
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
      gdbench::implementations::bind_to_processor_of(settings, omp_get_thread_num());
    }
    return trainer;
  }
};

namespace {

using namespace gdbench;

const gdbench_implementation& implementation();

gdbench_status create(gdbench_instance** instance) {
  return plugins::guarded([&] { *instance = new gdbench_instance(implementation()); });
}

gdbench_implementation make_table() {
  gdbench_implementation table = plugins::table_with_functions();
  table.id = "loop/plain";
  table.description = "loops over rows and features, straight from the formulas; no kernels";
  table.build = loop::build();
  table.tasks = catalogue::kAll<catalogue::Task> & ~bit_of(catalogue::Task::floor);
  table.dtypes = catalogue::kAll<catalogue::Dtype>;
  table.activations = catalogue::kAll<catalogue::Activation>;
  table.losses = catalogue::kAll<catalogue::Loss>;
  table.optimizers = catalogue::kAll<catalogue::OptimizerKind>;
  table.capabilities = bit_of(catalogue::Capability::shuffle) | bit_of(catalogue::Capability::micro_batches) |
                       bit_of(catalogue::Capability::weight_decay) | bit_of(catalogue::Capability::schedule) |
                       bit_of(catalogue::Capability::epsilon_place) | bit_of(catalogue::Capability::drop_last);
  table.max_compute_threads = implementations::kMaxComputeThreads;
  table.create = create;
  return table;
}

const gdbench_implementation& implementation() {
  static const gdbench_implementation table = make_table();
  return table;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  plugins::set_host(*host);
  if (const std::string error = implementations::processor_error("loop/plain"); !error.empty()) {
    plugins::report(GDBENCH_UNSUPPORTED, error.c_str());
    return nullptr;
  }
  static const gdbench_implementation* const tables[] = {&implementation()};
  static const gdbench_plugin plugin = plugins::plugin_table("plain", tables);
  return &plugin;
}
