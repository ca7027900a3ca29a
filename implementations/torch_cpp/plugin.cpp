// torch-cpp/*: the C interface in front of a library that links libtorch, whose half a gigabyte is opened in prepare,
// by those that train with it.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "harness/abi/catalogue.h"
#include "implementations/backends/common/kernel_library.h"
#include "implementations/common/compute_threads.h"
#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/plugins/guarded.h"
#include "implementations/plugins/request.h"
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

const gdbench_host* the_host = nullptr;

}  // namespace

struct gdbench_instance {
  Mode mode = Mode::eager;
  const gdbench_data* data = nullptr;
  std::optional<gdbench::plugins::OwnProblem> problem;
  std::unique_ptr<Training> training;
  double import_ns = 0;
  std::int64_t imported_resident_bytes = 0;
};

namespace {

extern const std::array<gdbench_implementation, std::size(kNames)> kTables;

// libtorch's exceptions say in the first line what is wrong, and then where.
gdbench_status report(gdbench_status status, const char* reason) {
  const std::string text = reason;
  the_host->set_error(the_host->context, text.substr(0, text.find('\n')).c_str());
  return status;
}

template <class Body>
gdbench_status guarded(const Body& body) {
  return gdbench::plugins::guarded_by(report, body);
}

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

template <Mode mode>
gdbench_status create(gdbench_instance** instance) {
  *instance = new (std::nothrow) gdbench_instance;
  if (*instance == nullptr) return report(GDBENCH_OUT_OF_MEMORY, "no memory for an instance");
  (*instance)->mode = mode;
  return GDBENCH_OK;
}

void destroy(gdbench_instance* instance) { delete instance; }

gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* given, const gdbench_settings* settings) {
  return guarded([&] {
    const gdbench_problem& problem = instance->problem.emplace(*given).problem();
    gdbench::plugins::check_request(kTables[static_cast<std::size_t>(instance->mode)], *instance->data, problem,
                                    gdbench::plugins::own_copy(*settings));
    if (gdbench::implementations::chosen<Heap>(*settings, kHeapOption) == Heap::kept) {
      void* volatile large = std::malloc(kLargeArray);  // freed at once
      std::free(large);
    }
    // Libraries read the number of threads when they are opened, and a thread stays on the processors of its maker.
    const int threads = settings->compute_threads;
    for (const char* variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
      setenv(variable, std::to_string(threads).c_str(), 1);
    }
    if (threads > 1) gdbench::implementations::bind_to_all_processors(*settings);
    const auto before = std::chrono::steady_clock::now();
    const MakeTraining make_training = open_library();
    instance->import_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count();
    instance->imported_resident_bytes = resident_bytes();
    instance->training.reset(make_training(instance->mode, *instance->data, problem, threads));
  });
}

gdbench_status imported(gdbench_instance* instance, double* nanoseconds, std::int64_t* resident_bytes) {
  *nanoseconds = instance->import_ns;
  *resident_bytes = instance->imported_resident_bytes;
  return GDBENCH_OK;
}

const char* runtime(gdbench_instance* instance) { return instance->training->runtime(); }

gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  return guarded([&] { instance->training->set_state(*state); });
}

gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  return guarded([&] { instance->training->get_state(*state); });
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  return guarded([&] { instance->training->run(steps); });
}

gdbench_status evaluate(gdbench_instance* instance, std::int32_t split, double* loss) {
  return guarded([&] { *loss = instance->training->evaluate(split); });
}

gdbench_status profile(gdbench_instance* instance, std::uint64_t steps, const gdbench_profile_sink* sink) {
  return guarded([&] { instance->training->profile(steps, *sink); });
}

template <Mode mode>
gdbench_implementation table() {
  using namespace gdbench::catalogue;
  gdbench_implementation table{};
  table.struct_size = sizeof table;
  table.id = kNames[static_cast<std::size_t>(mode)].id;
  table.description = kNames[static_cast<std::size_t>(mode)].description;
  table.build = GDBENCH_TORCH_BUILD;
  table.tasks = kAll<Task>;
  table.dtypes = kUniformDtypes;
  table.activations = kAll<Activation>;
  table.losses = kAll<Loss>;
  // torch::optim has neither of the two in C++.
  table.optimizers = kAll<OptimizerKind> & ~(bit_of(OptimizerKind::lion) | bit_of(OptimizerKind::nadam));
  table.capabilities = bit_of(Capability::shuffle) | bit_of(Capability::micro_batches) |
                       bit_of(Capability::weight_decay) | bit_of(Capability::schedule);
  table.option_count = 1;
  table.options = &kHeapOption;
  table.create = create<mode>;
  table.destroy = destroy;
  table.load = load;
  table.prepare = prepare;
  table.set_state = set_state;
  table.get_state = get_state;
  table.run = run;
  table.evaluate = evaluate;
  table.profile = profile;
  table.runtime = runtime;
  table.imported = imported;
  return table;
}

const std::array<gdbench_implementation, std::size(kNames)> kTables = {table<Mode::eager>(), table<Mode::fused>()};

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  the_host = host;
  static const gdbench_implementation* const implementations[] = {&kTables[0], &kTables[1]};
  static const gdbench_plugin plugin = {
      .struct_size = sizeof(gdbench_plugin),
      .abi_major = GDBENCH_ABI_MAJOR,
      .abi_minor = GDBENCH_ABI_MINOR,
      .name = "torch_cpp",
      .version = GDBENCH_PLUGIN_VERSION,
      .implementation_count = std::size(implementations),
      .implementations = implementations,
  };
  return &plugin;
}
