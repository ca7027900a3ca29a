// Training by the backend jit, of which the tests compare what it ends with.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "implementations/strategies/graph/graph.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {

using JitOptions = std::vector<gdbench_option_value>;

// Makes `steps` updates in two calls, which end in the problem's state; returns the loss after them.
inline double trained_by_jit(TrainingProblem& training, std::int64_t steps, const JitOptions& options, int threads,
                             const StrategyDescriptor& descriptor = graph::kRegionDescriptor) {
  training.set_options(options);
  training.mutable_settings().compute_threads = threads;
  const auto strategy =
      descriptor.create({backends::backend_named("jit"), training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  strategy->run(1);
  strategy->run(static_cast<std::uint64_t>(steps - 1));
  strategy->sync();
  strategy->get_state(training.state());
  EXPECT_EQ(training.state().step, steps);
  return strategy->evaluate(0);
}

}  // namespace gdbench::strategies
