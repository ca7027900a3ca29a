// A training by several ranks that is right, and others with one fault each.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <vector>

#include "fake_core.h"

namespace {

enum class Fault {
  none,
  mean_of_means,      // the parts' means are averaged, whatever their rows
  counted_twice,      // the first rank's part counts twice
  stale,              // what is added up is the gradient of the step before
  update_before_sum,  // every rank makes a step by its own gradient
  drifting,           // the last rank's parameters move away from the others'
  failing,            // the last rank fails in a step
  waiting             // the last rank does not come to a sum
};

const gdbench_ranks* all = nullptr;  // null: there is one
std::vector<double> last_gradient;

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
  all = settings->ranks;
  return fake_prepare(instance, problem, settings);
}

gdbench_status add_up(std::vector<double>& gradient) {
  if (all == nullptr) return GDBENCH_OK;
  return all->all_reduce(all->context, gradient.data(), static_cast<int64_t>(gradient.size()), GDBENCH_F64);
}

template <Fault fault>
gdbench_status step(gdbench_instance* instance) {
  const int64_t ranks = all == nullptr ? 1 : all->count;
  const int64_t rank = all == nullptr ? 0 : all->rank;
  const int64_t rows = fake_batch_rows(instance);
  const int64_t larger = rows % ranks;
  const int64_t least = rows / ranks;
  const int64_t own_rows = least + (rank < larger ? 1 : 0);
  const int64_t first = rank * least + (rank < larger ? rank : larger);
  const bool is_last = rank == ranks - 1;
  const int64_t divisor = fault == Fault::mean_of_means && own_rows > 0 ? own_rows * ranks : rows;
  fake_gradient(instance, first, own_rows, divisor);

  const std::size_t count = static_cast<std::size_t>((instance->data->features + 1) * instance->data->outputs);
  std::vector<double> gradient(instance->gradient, instance->gradient + count);
  if (fault == Fault::counted_twice && rank == 0) {
    for (double& entry : gradient) entry *= 2;
  }
  if (fault == Fault::stale) {
    last_gradient.resize(count);
    gradient.swap(last_gradient);
  }
  if (fault == Fault::failing && is_last && instance->step == 3) return fake_error(GDBENCH_FAILED, "is out of luck");
  if (fault == Fault::waiting && is_last && instance->step == 3) {
    for (;;) pause();
  }
  if (fault == Fault::update_before_sum) fake_update(instance);
  const gdbench_status status = add_up(gradient);
  if (status != GDBENCH_OK || fault == Fault::update_before_sum) return status;
  for (std::size_t i = 0; i < count; ++i) instance->gradient[i] = gradient[i];
  fake_update(instance);
  if (fault == Fault::drifting && is_last) instance->weights[0] *= 1 + 1e-6;
  return GDBENCH_OK;
}

template <Fault fault>
gdbench_status run(gdbench_instance* instance, uint64_t steps) {
  for (uint64_t i = 0; i < steps; ++i) {
    if (const gdbench_status status = step<fault>(instance); status != GDBENCH_OK) return status;
  }
  return GDBENCH_OK;
}

struct Named {
  const char* id;
  const char* description;
  gdbench_status (*run)(gdbench_instance* instance, uint64_t steps);
};

constexpr std::array kAll = {
    Named{"fake/ranks+mpi", "right", run<Fault::none>},
    Named{"fake/mean-of-means+mpi", "parts count the same, whatever their rows", run<Fault::mean_of_means>},
    Named{"fake/counted-twice+mpi", "the first rank counts twice", run<Fault::counted_twice>},
    Named{"fake/stale+mpi", "adds up the gradients of the step before", run<Fault::stale>},
    Named{"fake/update-before-sum+mpi", "every rank by its own gradient", run<Fault::update_before_sum>},
    Named{"fake/drifting+mpi", "the last rank's parameters move away", run<Fault::drifting>},
    Named{"fake/failing+mpi", "the last rank fails", run<Fault::failing>},
    Named{"fake/waiting+mpi", "the last rank does not come to a sum", run<Fault::waiting>},
};

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static std::array<gdbench_implementation, kAll.size()> tables;
  static std::array<const gdbench_implementation*, kAll.size()> implementations;
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    tables[i] = *fake_implementation(host, kAll[i].id, kAll[i].description);
    tables[i].capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS);
    tables[i].prepare = prepare;
    tables[i].run = kAll[i].run;
    implementations[i] = &tables[i];
  }
  gdbench_plugin* const plugin = fake_plugin();
  plugin->implementation_count = kAll.size();
  plugin->implementations = implementations.data();
  return plugin;
}
