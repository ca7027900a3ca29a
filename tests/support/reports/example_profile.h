// Small profiles made by hand; their figures are invented.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/profile.h"

namespace gdbench::tests {

// 100 ns profiled: 40 forward, 30 backward, 30 unattributed; compiling once took longer than any step.
inline report::Profile example_profile() {
  report::Profile profile;
  profile.cell = "example/one/two";
  profile.implementation = "one/two";
  profile.steps = 10;
  profile.step_ns = 90;
  profile.profiled_step_ns = 100;
  profile.records.push_back({.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 5000});
  profile.records.push_back({.phase = report::Phase::backward, .op = "product", .calls = 1, .time_ns = 30});
  profile.records.push_back({.phase = report::Phase::forward, .op = "product", .calls = 1, .time_ns = 40, .flops = 80});
  return profile;
}

// Two layers and one update of both; the largest first, as profiles have them.
inline report::Profile layered_profile() {
  using enum report::ParameterUse;
  const auto op = [](report::Phase phase, const char* name, double time_ns, std::vector<std::int64_t> layers,
                     std::vector<std::string> parameters, report::ParameterUse use) {
    report::ProfileRecord record{.phase = phase, .op = name, .calls = 1, .time_ns = time_ns};
    if (!layers.empty()) record.layers = std::move(layers);
    if (parameters.empty()) return record;
    record.parameters = std::move(parameters);
    record.use = use;
    return record;
  };
  report::Profile profile = example_profile();
  profile.records = {op(report::Phase::forward, "product", 30, {1}, {"w1"}, reads),
                     op(report::Phase::backward, "product", 25, {0}, {"w0"}, gradient),
                     op(report::Phase::backward, "product", 20, {1}, {"w1"}, gradient),
                     op(report::Phase::forward, "product", 15, {0}, {"w0"}, reads),
                     op(report::Phase::backward, "product", 5, {1}, {"w1"}, reads),
                     op(report::Phase::update, "update", 2, {0, 1}, {"w0", "b0", "w1", "b1"}, updates),
                     op(report::Phase::forward, "activation", 2, {0}, {}, reads),
                     op(report::Phase::forward, "waiting", 1, {}, {}, reads)};
  return profile;
}

}  // namespace gdbench::tests
