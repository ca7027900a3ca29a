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
#include "implementations/plugins/guarded.h"
#include "implementations/plugins/request.h"
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
  const gdbench_host* host = nullptr;
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

struct gdbench_instance {
  const Entry* entry = nullptr;
  const gdbench_data* data = nullptr;
  std::optional<gdbench::plugins::OwnProblem> problem;
  gdbench_settings settings{};
  std::unique_ptr<Strategy> strategy;  // made in prepare, which knows the task
};

namespace {

gdbench_status report(gdbench_status status, const char* message) {
  const gdbench_host& host = *plugin()->host;
  host.set_error(host.context, message);
  return status;
}

template <class Body>
gdbench_status guarded(const Body& body) {
  return gdbench::plugins::guarded_by(report, body);
}

// guarded for what is only allowed once the instance was prepared.
template <class Body>
gdbench_status when_prepared(gdbench_instance* instance, Body body) {
  if (instance->strategy == nullptr) return report(GDBENCH_INVALID, "called before prepare");
  return guarded([&] { body(*instance->strategy); });
}

void destroy(gdbench_instance* instance) { delete instance; }

gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  instance->data = data;
  return GDBENCH_OK;
}

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
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    entries += (problem.layers[l].inputs + problem.layers[l].has_bias) * problem.layers[l].outputs;
  }
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
  if (threads == 1 || backend.shares == nullptr || shares_update(backend, problem, threads)) return;
  const std::span layers(problem.layers, static_cast<std::size_t>(problem.layer_count));
  const bool trains = gdbench::catalogue::task_of(problem) != gdbench::catalogue::Task::update;
  if (trains && std::ranges::any_of(layers, [&](const gdbench_layer& layer) {
        return shares_product(backend, problem, layer, threads, ranks);
      })) {
    return;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "every operation of a step is too small to be shared by " +
                                         std::to_string(threads) + " compute threads");
}

// What ids that train as one of several ranks get where the host has none: they train alone, and exchange nothing.
constexpr gdbench_ranks kOneRank = {sizeof(gdbench_ranks), 0, 1, nullptr, nullptr, nullptr, nullptr};

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* given,
                       const gdbench_settings* host_settings) {
  if (instance->data == nullptr) return report(GDBENCH_INVALID, "prepare before load");
  if (instance->strategy != nullptr) return report(GDBENCH_INVALID, "prepared twice");
  return guarded([&] {
    const StrategyDescriptor& descriptor = *instance->entry->strategy;
    const gdbench_problem& problem = instance->problem.emplace(*given).problem();
    gdbench_settings& settings = instance->settings = gdbench::plugins::own_copy(*host_settings);
    if (instance->entry->has_ranks && settings.ranks == nullptr) settings.ranks = &kOneRank;
    gdbench::plugins::check_request(instance->entry->table, *instance->data, problem, settings);
    check_threads(instance->entry->backend, problem, settings);
    const auto create = gdbench::catalogue::task_of(problem) == gdbench::catalogue::Task::update
                            ? descriptor.create_update
                            : descriptor.create;
    instance->strategy = create({instance->entry->backend, *instance->data, problem, settings});
  });
}

gdbench_status set_state(gdbench_instance* instance, const gdbench_state* state) {
  return when_prepared(instance, [&](Strategy& strategy) { strategy.set_state(*state); });
}

gdbench_status get_state(gdbench_instance* instance, gdbench_state* state) {
  return when_prepared(instance, [&](Strategy& strategy) { strategy.get_state(*state); });
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  return when_prepared(instance, [&](Strategy& strategy) { strategy.run(steps); });
}

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

gdbench_status sync(gdbench_instance* instance) {
  return when_prepared(instance, [](Strategy& strategy) { strategy.sync(); });
}

gdbench_status evaluate(gdbench_instance* instance, std::int32_t split, double* loss) {
  return when_prepared(instance, [&](Strategy& strategy) { *loss = strategy.evaluate(split); });
}

gdbench_status profile(gdbench_instance* instance, std::uint64_t steps, const gdbench_profile_sink* sink) {
  return when_prepared(instance, [&](Strategy& strategy) { strategy.profile(steps, *sink); });
}

std::int32_t helper_threads_in_use(gdbench_instance* instance) {
  return instance->strategy != nullptr ? instance->strategy->helper_threads() + plugin()->backend->helper_threads : 0;
}

const char* runtime(gdbench_instance* instance) {
  return instance->strategy != nullptr ? instance->strategy->session().runtime() : nullptr;
}

bool is_device(const Backend& backend) { return (backend.flags & gdbench::backends::kDevice) != 0; }

// Streams are read into the host's memory, batch by batch and for evaluations.
std::uint32_t capabilities_of(const Backend& backend, const StrategyDescriptor& strategy, bool has_ranks) {
  const bool arithmetic = (backend.flags & gdbench::backends::kNoArithmetic) == 0;
  return (strategy.capabilities & ~(is_device(backend) ? GDBENCH_BIT(GDBENCH_CAPABILITY_STREAM) : 0U)) |
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
  entry.table = {
      .struct_size = sizeof(gdbench_implementation),
      .id = entry.id.c_str(),
      .description = entry.description.c_str(),
      .build = backend.build,
      .tasks = entry.has_ranks ? strategy.tasks & bit_of(gdbench::catalogue::Task::train) : strategy.tasks,
      .dtypes = backend.dtypes,
      .activations = strategy.own != nullptr ? strategy.own->activations
                                             : gdbench::catalogue::kAll<gdbench::catalogue::Activation>,
      .losses = strategy.own != nullptr ? strategy.own->losses : gdbench::catalogue::kAll<gdbench::catalogue::Loss>,
      .optimizers = backend.optimizers,
      .capabilities = capabilities_of(backend, strategy, entry.has_ranks),
      .max_layers = 0,  // any number
      .max_compute_threads = backend.max_compute_threads,
      .helper_threads = strategy.helper_threads + backend.helper_threads,
      .option_count = static_cast<std::int64_t>(entry.options.size()),
      .options = entry.options.data(),
      .create = create,
      .destroy = destroy,
      .load = load,
      .prepare = prepare,
      .set_state = set_state,
      .get_state = get_state,
      .run = has_clock ? run_on_device : run,
      .sync = sync,
      .evaluate = evaluate,
      .profile = profile,
      .helper_threads_in_use = helper_threads_in_use,
      .unavailable = backend.unavailable,
      .device_time = has_clock ? device_time : nullptr,
      .runtime = runtime,
      .imported = nullptr,
  };
}

}  // namespace

namespace gdbench::plugins {

gdbench_status create_instance(std::size_t implementation, gdbench_instance** instance) {
  return guarded([&] {
    *instance = new gdbench_instance{&plugin()->entries[implementation], nullptr, std::nullopt, {}, nullptr};
  });
}

const gdbench_plugin* open_plugin(const gdbench_host& host, const char* backend_name, std::span<const Offer> offers,
                                  std::span<const Create> creates) {
  try {
    std::string error;
    const Backend* backend = backends::open_kernel_library(backend_name, backends::kernel_folder(), error);
    if (backend == nullptr) {
      host.set_error(host.context, error.c_str());
      return nullptr;
    }
    Plugin& self = plugin().emplace();
    self.host = &host;
    self.backend = backend;
    self.name = backend_name;
    for (const Offer& offer : offers) self.entries.push_back(make_entry(*backend, offer));
    for (std::size_t i = 0; i < self.entries.size(); ++i) {
      fill_table(self.entries[i], creates[i]);
      self.tables.push_back(&self.entries[i].table);
    }
    self.table = {
        .struct_size = sizeof(gdbench_plugin),
        .abi_major = GDBENCH_ABI_MAJOR,
        .abi_minor = GDBENCH_ABI_MINOR,
        .name = self.name.c_str(),
        .version = GDBENCH_PLUGIN_VERSION,
        .implementation_count = static_cast<std::int64_t>(self.tables.size()),
        .implementations = self.tables.data(),
    };
    return &self.table;
  } catch (const std::exception& exception) {
    host.set_error(host.context, exception.what());
    return nullptr;
  }
}

}  // namespace gdbench::plugins
