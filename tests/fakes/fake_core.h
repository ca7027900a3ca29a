// What the fake plugins share: a small, correct linear regression that each of them spoils in one way. It trains one
// layer without activation, any outputs, with or without bias, by sgd; f32 or f64 at the boundary, double inside. Slow
// and plain on purpose.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
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
  std::size_t row = 0;                  // of the table that the plugin is made of
};

// The plugin's only implementation, complete and correct, to be changed by the caller.
gdbench_implementation* fake_implementation(const gdbench_host* host, const char* id, const char* description);

// The table that holds it.
gdbench_plugin* fake_plugin();

// That of a row of fake_faults.cpp.
gdbench_plugin* make_fake(std::string_view name, const gdbench_host* host);

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

template <std::size_t row>
gdbench_status fake_create(gdbench_instance** instance) {
  *instance = new gdbench_instance{.row = row};
  return GDBENCH_OK;
}

// A plugin of an implementation for each row, which has an id and a description. `change` changes each in the same way;
// what they do otherwise goes by the instance's row.
template <class Row, std::size_t count, class Change>
gdbench_plugin* fake_plugin_of(const gdbench_host* host, const Row (&rows)[count], const Change& change) {
  static std::vector<gdbench_implementation> implementations;
  static std::vector<const gdbench_implementation*> pointers;
  const auto add = [&](std::size_t row, gdbench_status (*create)(gdbench_instance**)) {
    implementations.push_back(*fake_implementation(host, rows[row].id, rows[row].description));
    implementations.back().create = create;
    change(implementations.back());
  };
  [&]<std::size_t... row>(std::index_sequence<row...>) { (add(row, fake_create<row>), ...); }
  (std::make_index_sequence<count>());
  for (const gdbench_implementation& implementation : implementations) pointers.push_back(&implementation);
  gdbench_plugin* const plugin = fake_plugin();
  plugin->implementation_count = static_cast<std::int64_t>(count);
  plugin->implementations = pointers.data();
  return plugin;
}
