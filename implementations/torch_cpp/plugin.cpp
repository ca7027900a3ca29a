// torch-cpp/*: the C interface in front of a library that links libtorch, whose half a gigabyte is opened in prepare,
// by those that train with it.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "harness/abi/catalogue.h"
#include "implementations/backends/common/kernel_library.h"
#include "implementations/common/compute_threads.h"
#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/plugins/exporter.h"
#include "implementations/torch_cpp/training.h"

namespace {

using gdbench::implementations::Failure;
using gdbench::torch_cpp::MakeTraining;
using gdbench::torch_cpp::Mode;
using gdbench::torch_cpp::Training;

struct Named {
  const char* id;
  const char* description;
};
constexpr Named kNames[] = {GDBENCH_IMPLEMENTATIONS};  // in the order of Mode
static_assert(std::size(kNames) == 2);

// As that of the adapters of Python frameworks, with which these rows are compared (frameworks/runner.py).
constexpr gdbench_option kHeapOption = {
    "heap",
    GDBENCH_OPTION_CHOICE,
    0,
    "kept",
    "kept|returned",
    "whether freed memory stays with the process, as it does once large arrays were freed"};
enum class Heap { kept, returned };
constexpr std::size_t kLargeArray = 30 << 20;  // bytes; glibc learns from arrays up to 32 MiB

}  // namespace

struct gdbench_instance : gdbench::plugins::Instance<Training> {
  gdbench_instance(const gdbench_implementation& of, Mode that) : Instance(of), mode(that) {}
  std::unique_ptr<Training> make();

  Mode mode;
  double import_ns = 0;
  std::int64_t imported_resident_bytes = 0;
};

namespace {

using gdbench::plugins::guarded;

MakeTraining open_library() {
  using namespace gdbench::backends;
  std::string error;
  void* entry = library_entry("torch_cpp", kernel_folder(), GDBENCH_MAKE_TRAINING_NAME, error);
  if (entry == nullptr) throw Failure(GDBENCH_UNSUPPORTED, "scripts/frameworks torch-cpp makes it anew: " + error);
  return reinterpret_cast<MakeTraining>(entry);
}

// Of this process, now.
std::int64_t resident_bytes() {
  std::int64_t size = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::unique_ptr<Training> gdbench_instance::make() {
  if (gdbench::implementations::chosen<Heap>(settings, kHeapOption) == Heap::kept) {
    void* volatile large = std::malloc(kLargeArray);  // freed at once
    std::free(large);
  }
  // Libraries read the number of threads when they are opened, and a thread stays on the processors of its maker.
  const int threads = settings.compute_threads;
  for (const char* variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    setenv(variable, std::to_string(threads).c_str(), 1);
  }
  if (threads > 1) gdbench::implementations::bind_to_all_processors(settings);
  const auto before = std::chrono::steady_clock::now();
  const MakeTraining make_training = open_library();
  import_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count();
  imported_resident_bytes = resident_bytes();
  return std::unique_ptr<Training>(make_training(mode, *data, problem->problem(), threads));
}

namespace {

gdbench_status imported(gdbench_instance* instance, double* nanoseconds, std::int64_t* resident_bytes) {
  *nanoseconds = instance->import_ns;
  *resident_bytes = instance->imported_resident_bytes;
  return GDBENCH_OK;
}

template <Mode mode>
const gdbench_implementation& implementation();

template <Mode mode>
gdbench_implementation make_table() {
  using namespace gdbench::catalogue;
  gdbench_implementation table = gdbench::plugins::table_with_functions();
  table.id = kNames[static_cast<std::size_t>(mode)].id;
  table.description = kNames[static_cast<std::size_t>(mode)].description;
  table.build = GDBENCH_TORCH_BUILD;
  table.tasks = kAll<Task> & ~bit_of(Task::forward);
  table.dtypes = kUniformDtypes;
  table.activations = kAll<Activation>;
  table.losses = kAll<Loss>;
  table.optimizers = gdbench::torch_cpp::kOptimizers;
  table.capabilities = bit_of(Capability::shuffle) | bit_of(Capability::micro_batches) |
                       bit_of(Capability::weight_decay) | bit_of(Capability::schedule) | bit_of(Capability::drop_last);
  table.option_count = 1;
  table.options = &kHeapOption;
  table.create = [](gdbench_instance** instance) {
    return guarded([&] { *instance = new gdbench_instance(implementation<mode>(), mode); });
  };
  table.imported = imported;
  return table;
}

template <Mode mode>
const gdbench_implementation& implementation() {
  static const gdbench_implementation table = make_table<mode>();
  return table;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  gdbench::plugins::set_host(*host);
  static const gdbench_implementation* const tables[] = {&implementation<Mode::eager>(),
                                                         &implementation<Mode::fused>()};
  static const gdbench_plugin plugin = gdbench::plugins::plugin_table("torch_cpp", tables);
  return &plugin;
}
