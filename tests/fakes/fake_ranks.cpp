// A training by several ranks that is right, and others with one fault each.
#include <unistd.h>

#include <string_view>
#include <thread>
#include <vector>

#include "fake_core.h"

namespace {

struct Row {
  const char* id;
  const char* description;
};

constexpr Row kAll[] = {
    {"fake/ranks+mpi", "right"},
    {"fake/mean-of-means+mpi", "parts count the same with any number of rows"},
    {"fake/counted-twice+mpi", "the first rank counts twice"},
    {"fake/stale+mpi", "adds up the gradients of the step before"},
    {"fake/update-before-sum+mpi", "every rank by its own gradient"},
    {"fake/drifting+mpi", "the last rank's parameters move away"},
    {"fake/failing+mpi", "the last rank fails"},
    {"fake/threaded+mpi", "the last rank has an undeclared thread"},
    {"fake/waiting+mpi", "the last rank does not reach a sum"},
};

const gdbench_ranks* all = nullptr;  // null: there is one
std::vector<double> last_gradient;

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
  all = settings->ranks;
  return fake_prepare(instance, problem, settings);
}

gdbench_status add_up(std::vector<double>& gradient) {
  if (all == nullptr) return GDBENCH_OK;
  return all->all_reduce(all->context, gradient.data(), static_cast<std::int64_t>(gradient.size()), GDBENCH_F64);
}

gdbench_status step(gdbench_instance& instance) {
  const auto has = [&](std::string_view fault) { return std::string_view(kAll[instance.row].id).find(fault) == 5; };
  const std::int64_t ranks = all == nullptr ? 1 : all->count;
  const std::int64_t rank = all == nullptr ? 0 : all->rank;
  const FakeRows batch = fake_batch(instance);
  const std::int64_t larger = batch.count() % ranks;
  const std::int64_t least = batch.count() / ranks;
  const std::int64_t first = batch.first + rank * least + (rank < larger ? rank : larger);
  const FakeRows own{first, first + least + (rank < larger ? 1 : 0)};
  const bool is_last = rank == ranks - 1;
  const bool of_means = has("mean-of-means") && own.count() > 0;
  std::vector<double>& gradient = instance.gradient;
  gradient.assign(gradient.size(), 0.0);
  fake_add_gradient(instance, own, static_cast<double>(of_means ? own.count() * ranks : batch.count()));
  if (has("counted-twice") && rank == 0) {
    for (double& entry : gradient) entry *= 2;
  }
  if (has("stale")) {
    last_gradient.resize(gradient.size());
    gradient.swap(last_gradient);
  }
  if (has("failing") && is_last && instance.step == 3) return fake_error(GDBENCH_FAILED, "is out of luck");
  if (has("waiting") && is_last && instance.step == 3) {
    for (;;) pause();
  }
  if (has("threaded") && is_last && instance.step == 3) std::thread(pause).detach();
  if (has("update-before-sum")) fake_update(instance);
  const gdbench_status status = add_up(gradient);
  if (status != GDBENCH_OK || has("update-before-sum")) return status;
  fake_update(instance);
  if (has("drifting") && is_last) instance.parameters[0] *= 1 + 1e-6;
  return GDBENCH_OK;
}

gdbench_status run(gdbench_instance* instance, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (const gdbench_status status = step(*instance); status != GDBENCH_OK) return status;
  }
  return GDBENCH_OK;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return fake_plugin_of(host, kAll, [](gdbench_implementation& implementation) {
    implementation.run = run;
    implementation.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS);
    implementation.prepare = prepare;
  });
}
