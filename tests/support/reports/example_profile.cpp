#include "tests/support/reports/example_profile.h"

#include <string>
#include <utility>
#include <vector>

namespace gdbench::tests {

namespace {

report::ProfileRecord op(report::Phase phase, const char* name, double time_ns, std::vector<std::int64_t> layers,
                         std::vector<std::string> parameters, report::ParameterUse use) {
  report::ProfileRecord record{.phase = phase, .op = name, .calls = 1, .time_ns = time_ns};
  if (!layers.empty()) record.layers = std::move(layers);
  if (parameters.empty()) return record;
  record.parameters = std::move(parameters);
  record.use = use;
  return record;
}

}  // namespace

report::Profile example_profile() {
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

// The largest first, as profiles have them.
report::Profile layered_profile() {
  using enum report::ParameterUse;
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
