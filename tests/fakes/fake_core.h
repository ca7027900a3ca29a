// What the fake plugins share: a small, correct linear regression that each of them spoils in one way. It trains one
// layer without activation, any outputs, with or without bias, by sgd; f32 or f64 at the boundary, double inside. Slow
// and plain on purpose.
#pragma once

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"

struct gdbench_instance {
  const gdbench_data* data = nullptr;
  const gdbench_problem* problem = nullptr;
  std::int64_t step = 0;
  std::vector<double> parameters = {};  // weights [features, outputs], then the bias, if any
  std::vector<double> slots[2] = {};    // of rules that have some, as parameters
  std::vector<double> gradient = {};    // likewise
  double gradient_factor = 1;           // anything else is wrong
  std::int64_t delay_ns = 0;            // that a step of some waits
};

// The plugin's only implementation, complete and correct, to be changed by the caller.
gdbench_implementation* fake_implementation(const gdbench_host* host, const char* id, const char* description);

// The table that holds it.
gdbench_plugin* fake_plugin();

// Tells the host why and returns `status`.
gdbench_status fake_error(gdbench_status status, const char* message);

gdbench_status fake_prepare(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings);
gdbench_status fake_set_state(gdbench_instance* instance, const gdbench_state* state);
gdbench_status fake_get_state(gdbench_instance* instance, gdbench_state* state);
gdbench_status fake_run(gdbench_instance* instance, std::uint64_t steps);
void fake_destroy(gdbench_instance* instance);

// Of an epoch's rows those at [first, last), in the epoch's order.
struct FakeRows {
  std::int64_t first;
  std::int64_t last;
  std::int64_t count() const { return last - first; }
};
// What a step consists of: its batch; the gradient of the rows' summed loss, divided by `divisor` and by the outputs,
// which is added; the update by the gradient, which ends the step.
FakeRows fake_batch(const gdbench_instance& instance);
void fake_add_gradient(gdbench_instance& instance, const FakeRows& rows, double divisor);
void fake_update(gdbench_instance& instance);
// Prediction minus target of one output of one row.
double fake_residual(const gdbench_instance& instance, std::int64_t row, std::int64_t output);

// A plugin of implementations that run(instance, steps) as each row says: a row has an id, a description and a run.
// `change` changes each in the same way.
template <class Rows, class Change>
gdbench_plugin* fake_plugin_of(const gdbench_host* host, const Rows& rows, const Change& change) {
  static std::vector<gdbench_implementation> implementations;
  static std::vector<const gdbench_implementation*> pointers;
  for (const auto& row : rows) {
    implementations.push_back(*fake_implementation(host, row.id, row.description));
    implementations.back().run = row.run;
    change(implementations.back(), row);
  }
  for (const gdbench_implementation& implementation : implementations) pointers.push_back(&implementation);
  gdbench_plugin* const plugin = fake_plugin();
  plugin->implementation_count = static_cast<std::int64_t>(pointers.size());
  plugin->implementations = pointers.data();
  return plugin;
}
