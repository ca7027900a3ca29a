// Where C++ ends and the C interface (gdbench/plugin.h) begins, for every plugin of this project: nothing that is
// thrown may pass, and no request reaches a training that the implementation's table excludes.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "implementations/common/failure.h"
#include "implementations/plugins/request.h"

namespace gdbench::plugins {

// The entry's, which lives as long as the process.
void set_host(const gdbench_host& host);

// Says the first line of `message` to the host and returns `status`.
gdbench_status report(gdbench_status status, const char* message);

// Runs `body`; what it throws is reported.
template <class Body>
gdbench_status guarded(const Body& body) {
  try {
    body();
    return GDBENCH_OK;
  } catch (const implementations::Failure& failure) {
    return report(failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return report(GDBENCH_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception& exception) {
    return report(GDBENCH_FAILED, exception.what());
  } catch (...) {
    return report(GDBENCH_FAILED, "unknown exception");
  }
}

// What a plugin's gdbench_instance derives from. It adds make(), which returns the Training of a request that the table
// allows. A Training has gdbench_implementation's functions from set_state on, and throws where those return a status;
// evaluate may return an empty std::optional, and sync, profile and runtime need not be there.
template <class Training>
struct Instance {
  explicit Instance(const gdbench_implementation& of) : table(of) {}

  const gdbench_implementation& table;
  const gdbench_data* data = nullptr;
  std::optional<OwnProblem> problem;
  gdbench_settings settings{};         // of this plugin's size
  std::unique_ptr<Training> training;  // made in prepare, which knows the task
};

template <class Defined, class Body>
gdbench_status when_prepared(Defined* instance, const Body& body) {
  if (instance->training == nullptr) return report(GDBENCH_INVALID, "called before prepare");
  return guarded([&] { body(*instance->training); });
}

// A table with the functions of the gdbench_instance that the including source defines. A template, so that the struct
// is complete where they are made.
template <class Defined = gdbench_instance>
gdbench_implementation table_with_functions() {
  gdbench_implementation table{};
  table.struct_size = sizeof table;
  table.destroy = [](gdbench_instance* instance) { delete static_cast<Defined*>(instance); };
  table.load = [](Defined* instance, const gdbench_data* data) {
    instance->data = data;
    return GDBENCH_OK;
  };
  table.prepare = [](Defined* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
    if (instance->data == nullptr) return report(GDBENCH_INVALID, "prepare before load");
    if (instance->training != nullptr) return report(GDBENCH_INVALID, "prepared twice");
    return guarded([&] {
      instance->problem.emplace(*problem);
      instance->settings = own_copy(*settings);
      check_request(instance->table, *instance->data, instance->problem->problem(), instance->settings);
      instance->training = instance->make();
    });
  };
  table.set_state = [](Defined* instance, const gdbench_state* state) {
    return when_prepared(instance, [&](auto& training) { training.set_state(*state); });
  };
  table.get_state = [](Defined* instance, gdbench_state* state) {
    return when_prepared(instance, [&](auto& training) { training.get_state(*state); });
  };
  table.run = [](Defined* instance, std::uint64_t steps) {
    return when_prepared(instance, [&](auto& training) { training.run(steps); });
  };
  table.evaluate = [](Defined* instance, std::int32_t split, double* loss) {
    return when_prepared(instance, [&](auto& training) {
      const std::optional<double> mean = training.evaluate(split);
      if (!mean) throw implementations::Failure(GDBENCH_UNSUPPORTED, "there is nothing to evaluate");
      *loss = *mean;
    });
  };
  if constexpr (requires(Defined & instance) { instance.training->sync(); }) {
    table.sync = [](Defined* instance) { return when_prepared(instance, [](auto& training) { training.sync(); }); };
  }
  if constexpr (requires(Defined & instance, const gdbench_profile_sink& sink) {
                  instance.training->profile(1, sink);
                }) {
    table.profile = [](Defined* instance, std::uint64_t steps, const gdbench_profile_sink* sink) {
      return when_prepared(instance, [&](auto& training) { training.profile(steps, *sink); });
    };
  }
  if constexpr (requires(Defined & instance) { instance.training->runtime(); }) {
    table.runtime = [](Defined* instance) -> const char* {
      return instance->training != nullptr ? instance->training->runtime() : nullptr;
    };
  }
  return table;
}

// The plugin's own table. `name` and the implementations live as long as the process.
gdbench_plugin plugin_table(const char* name, std::span<const gdbench_implementation* const> implementations);

}  // namespace gdbench::plugins
