#include "implementations/plugins/adapter.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/abi/catalogue.h"
#include "implementations/backends/common/kernel_library.h"
#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/plugins/exporter.h"
#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/exchange.h"

namespace {

using gdbench::backends::Backend;
using gdbench::catalogue::ParameterRounding;
using gdbench::implementations::Failure;
using gdbench::plugins::Offer;
using gdbench::plugins::Policy;
using gdbench::strategies::Strategy;
using gdbench::strategies::StrategyDescriptor;

// One implementation, and what its C table points to.
struct Entry {
  const StrategyDescriptor* strategy = nullptr;
  Backend backend;  // the plugin's, and what is asked of its contexts
  bool has_ranks = false;
  std::string id;
  std::string description;
  std::vector<gdbench_option> options;
  std::string passes;      // choices of the option of that name, where the backend adds to them
  std::string pass_words;  // its description then
  gdbench_implementation table{};
};

// The plugin's own table; lives as long as the process, as the interface demands.
struct Plugin {
  const Backend* backend = nullptr;
  std::string name;
  std::vector<Entry> entries;
  std::vector<const gdbench_implementation*> tables;
  gdbench_plugin table{};
};

std::optional<Plugin>& plugin() {
  static std::optional<Plugin> plugin;
  return plugin;
}

}  // namespace

struct gdbench_instance : gdbench::plugins::Instance<Strategy> {
  explicit gdbench_instance(const Entry& of) : Instance(of.table), entry(of) {}
  std::unique_ptr<Strategy> make();

  const Entry& entry;
};

namespace {

using gdbench::plugins::when_prepared;

// On the largest part of a batch that a rank has, so that all of them answer alike.
bool shares_product(const Backend& backend, const gdbench_problem& problem, const gdbench_layer& layer, int threads,
                    std::int64_t ranks) {
  const std::int64_t rows =
      gdbench::strategies::largest_micro_batch(problem.batch_rows, problem.micro_batches, {0, ranks});
  gdbench::backends::Request product;
  product.dtype = gdbench::catalogue::dtype_of(problem);
  product.operand_count = 3;
  product.operands[0] = {rows, layer.inputs};
  product.operands[1] = {layer.inputs, layer.outputs};
  product.operands[2] = {rows, layer.outputs};
  return backend.shares(product, threads);
}

bool shares_update(const Backend& backend, const gdbench_problem& problem, int threads) {
  std::int64_t entries = 0;
  gdbench::catalogue::for_each_parameter(
      problem, [&](auto, auto, std::int64_t rows, std::int64_t columns) { entries += rows * columns; });
  gdbench::backends::Request update;
  update.op = gdbench::backends::Op::update;
  update.dtype = gdbench::catalogue::dtype_of(problem);
  update.optimizer = problem.optimizer;
  update.operand_count = 3 + gdbench::catalogue::slot_count(gdbench::catalogue::kind_of(*problem.optimizer));
  for (gdbench::backends::Operand& operand : update.operands) operand = {1, entries};
  update.operands[1] = {1, 1};
  return backend.shares(update, threads);
}

// Throws Failure for a problem whose ops one thread would do all by itself, so that no row says that more of them did.
void check_threads(const Backend& backend, const gdbench_problem& problem, const gdbench_settings& settings) {
  const int threads = settings.compute_threads;
  const std::int64_t ranks = gdbench::loader::rank_of(settings).count;
  const gdbench::catalogue::Task task = gdbench::catalogue::task_of(problem);
  const bool updates = task != gdbench::catalogue::Task::forward;
  if (threads == 1 || backend.shares == nullptr || (updates && shares_update(backend, problem, threads))) return;
  const std::span layers(problem.layers, static_cast<std::size_t>(problem.layer_count));
  if (task != gdbench::catalogue::Task::update && std::ranges::any_of(layers, [&](const gdbench_layer& layer) {
        return shares_product(backend, problem, layer, threads, ranks);
      })) {
    return;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "every operation of a step is too small to be shared by " +
                                         std::to_string(threads) + " compute threads");
}

// What ids that train as one of several ranks get where the host has none: they train alone, and exchange nothing.
constexpr gdbench_ranks kOneRank = {sizeof(gdbench_ranks), 0, 1, nullptr, nullptr, nullptr, nullptr};

}  // namespace

std::unique_ptr<Strategy> gdbench_instance::make() {
  const gdbench_problem& own = problem->problem();
  if (entry.has_ranks && settings.ranks == nullptr) settings.ranks = &kOneRank;
  check_threads(entry.backend, own, settings);
  const gdbench::catalogue::Task task = gdbench::catalogue::task_of(own);
  const auto create = task == gdbench::catalogue::Task::update    ? entry.strategy->create_update
                      : task == gdbench::catalogue::Task::forward ? entry.strategy->create_forward
                                                                  : entry.strategy->create;
  return create({entry.backend, *data, own, settings});
}

namespace {

// On a device, whose clock is not the host's.
gdbench_status run_on_device(gdbench_instance* instance, std::uint64_t steps) {
  return when_prepared(instance, [&](Strategy& strategy) {
    strategy.session().begin_span();
    strategy.run(steps);
    strategy.session().end_span();
  });
}

gdbench_status device_time(gdbench_instance* instance, double* nanoseconds) {
  return when_prepared(instance, [&](Strategy& strategy) { *nanoseconds = strategy.session().span_ns(); });
}

std::int64_t device_memory(gdbench_instance* instance) {
  return instance->training != nullptr ? instance->training->session().allocated_bytes() : 0;
}

std::int32_t helper_threads_in_use(gdbench_instance* instance) {
  return instance->training != nullptr ? instance->training->helper_threads() + plugin()->backend->helper_threads : 0;
}

const char* runtime(gdbench_instance* instance) {
  return instance->training != nullptr ? instance->training->session().runtime() : nullptr;
}

bool is_device(const Backend& backend) { return (backend.flags & gdbench::backends::kDevice) != 0; }

// Streams are read into the host's memory, batch by batch and for evaluations.
std::uint32_t capabilities_of(const Backend& backend, const StrategyDescriptor& strategy, bool has_ranks) {
  const bool arithmetic = (backend.flags & gdbench::backends::kNoArithmetic) == 0;
  const std::uint32_t on_hosts =
      GDBENCH_BIT(GDBENCH_CAPABILITY_STREAM) | GDBENCH_BIT(GDBENCH_CAPABILITY_NORMALIZATIONS);
  return (strategy.capabilities & ~(is_device(backend) ? on_hosts : 0U)) |
         (is_device(backend) ? GDBENCH_BIT(GDBENCH_CAPABILITY_DEVICE) : 0) |
         (arithmetic ? 0 : GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC)) |
         (has_ranks ? GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS) : 0) |
         (backend.tf32 ? GDBENCH_BIT(GDBENCH_CAPABILITY_TF32_PRODUCTS) : 0) |
         (backend.parameter_rounding == ParameterRounding::nearest ? GDBENCH_BIT(GDBENCH_CAPABILITY_ROUNDS_PARAMETERS)
                                                                   : 0) |
         (backend.parameter_rounding == ParameterRounding::stochastic
              ? GDBENCH_BIT(GDBENCH_CAPABILITY_ROUNDS_STOCHASTICALLY)
              : 0);
}

// A region's options behind the strategy's own; its passes join the option `passes`. `entry` must not move afterwards.
void add_region_options(Entry& entry) {
  const gdbench::backends::RegionFunctions& regions = entry.backend.regions;
  entry.options.insert(entry.options.end(), regions.options, regions.options + regions.option_count);
  for (gdbench_option& option : entry.options) {
    if (option.type != GDBENCH_OPTION_SWITCHES) continue;
    entry.passes = option.choices;
    entry.pass_words = option.description;
    std::istringstream descriptions(regions.pass_descriptions);
    for (std::string line; std::getline(descriptions, line);) {
      const std::string name = line.substr(0, line.find(':'));
      if (!gdbench::implementations::is_among(entry.passes, name)) entry.pass_words += "\n" + line;
    }
    std::istringstream names(regions.passes);
    for (std::string name; std::getline(names, name, '|');) {
      if (!gdbench::implementations::is_among(entry.passes, name)) entry.passes += "|" + name;
    }
    option.choices = entry.passes.c_str();
    option.description = entry.pass_words.c_str();
  }
}

void add_policy(Entry& entry, Policy policy) {
  Backend& backend = entry.backend;
  switch (policy) {
    case Policy::none:
      return;
    case Policy::tf32:
      if ((backend.flags & gdbench::backends::kTf32) == 0) {
        throw Failure(GDBENCH_UNSUPPORTED, std::string(backend.name) + " has no products in TF32");
      }
      backend.tf32 = true;
      backend.dtypes &= bit_of(gdbench::catalogue::Dtype::f32);
      entry.id += "+tf32";
      entry.description += ", products in TF32";
      return;
    case Policy::mpi:
      entry.has_ranks = true;
      entry.id += gdbench::catalogue::kRanksPolicy;
      entry.description += ", as one of several ranks";
      return;
    case Policy::bf16_params:
    case Policy::bf16_params_stochastic:
      break;
  }
  const bool stochastic = policy == Policy::bf16_params_stochastic;
  backend.parameter_rounding = stochastic ? ParameterRounding::stochastic : ParameterRounding::nearest;
  backend.dtypes &= bit_of(gdbench::catalogue::Dtype::bf16);
  entry.id += stochastic ? "+bf16-params-stochastic" : "+bf16-params";
  entry.description +=
      stochastic ? ", parameters rounded to bfloat16 stochastically" : ", parameters rounded to bfloat16";
}

Entry make_entry(const Backend& backend, const Offer& offer) {
  const StrategyDescriptor& strategy = *offer.strategy;
  Entry entry;
  entry.strategy = &strategy;
  entry.backend = backend;
  if (strategy.own == nullptr) {
    entry.id = std::string(strategy.name) + "/" + backend.name + strategy.policy;
    entry.description = std::string(strategy.description) + "; kernels of " + backend.name;
  } else {
    entry.id = strategy.own->id;
    entry.description = std::string(strategy.description) + "; updated by kernels of " + backend.name;
    entry.backend.build = strategy.own->build;
    entry.backend.dtypes = strategy.own->dtypes;
    entry.backend.max_compute_threads = 1;
    entry.backend.unavailable = strategy.own->unavailable;
  }
  add_policy(entry, offer.policy);
  entry.backend.dtypes &= strategy.dtypes;
  entry.options.assign(strategy.options.begin(), strategy.options.end());
  entry.options.insert(entry.options.end(), backend.options, backend.options + backend.option_count);
  if (is_device(backend)) entry.options.push_back(gdbench::strategies::kTransferOption);
  if (entry.has_ranks) entry.options.push_back(gdbench::strategies::kExchangeOption);
  return entry;
}

// `entry` must not move afterwards.
void fill_table(Entry& entry, gdbench::plugins::Create create) {
  const StrategyDescriptor& strategy = *entry.strategy;
  const Backend& backend = entry.backend;
  const bool has_clock = backend.device.begin_span != nullptr;
  if (strategy.regions) add_region_options(entry);
  gdbench_implementation& table = entry.table = gdbench::plugins::table_with_functions();
  table.id = entry.id.c_str();
  table.description = entry.description.c_str();
  table.build = backend.build;
  table.tasks = entry.has_ranks ? strategy.tasks & bit_of(gdbench::catalogue::Task::train) : strategy.tasks;
  table.dtypes = backend.dtypes;
  table.activations =
      strategy.own != nullptr ? strategy.own->activations : gdbench::catalogue::kAll<gdbench::catalogue::Activation>;
  table.losses = strategy.own != nullptr ? strategy.own->losses : gdbench::catalogue::kAll<gdbench::catalogue::Loss>;
  table.optimizers = backend.optimizers;
  table.capabilities = capabilities_of(backend, strategy, entry.has_ranks);
  table.max_layers = 0;  // any number
  table.max_compute_threads = backend.max_compute_threads;
  table.helper_threads = strategy.helper_threads + backend.helper_threads;
  table.option_count = static_cast<std::int64_t>(entry.options.size());
  table.options = entry.options.data();
  table.create = create;
  table.helper_threads_in_use = helper_threads_in_use;
  table.unavailable = backend.unavailable;
  table.device_time = has_clock ? device_time : nullptr;
  table.runtime = runtime;
  if (has_clock) table.run = run_on_device;
  if (is_device(backend)) table.device_memory = device_memory;
}

}  // namespace

namespace gdbench::plugins {

gdbench_status create_instance(std::size_t implementation, gdbench_instance** instance) {
  return guarded([&] { *instance = new gdbench_instance(plugin()->entries[implementation]); });
}

const gdbench_plugin* open_plugin(const gdbench_host& host, const char* backend_name, std::span<const Offer> offers,
                                  std::span<const Create> creates) {
  set_host(host);
  try {
    std::string error;
    const Backend* backend = backends::open_kernel_library(backend_name, backends::kernel_folder(), error);
    if (backend == nullptr) {
      report(GDBENCH_UNSUPPORTED, error.c_str());
      return nullptr;
    }
    Plugin& self = plugin().emplace();
    self.backend = backend;
    self.name = backend_name;
    for (const Offer& offer : offers) self.entries.push_back(make_entry(*backend, offer));
    for (std::size_t i = 0; i < self.entries.size(); ++i) {
      fill_table(self.entries[i], creates[i]);
      self.tables.push_back(&self.entries[i].table);
    }
    self.table = plugin_table(self.name.c_str(), self.tables);
    return &self.table;
  } catch (const std::exception& exception) {
    report(GDBENCH_FAILED, exception.what());
    return nullptr;
  }
}

}  // namespace gdbench::plugins
