// Workers without processes: they compute by the reference, and take the time that a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/protocol/discovery.h"

namespace gdbench::tests {

constexpr std::int64_t kDeviceBytes = 1 << 20;  // the memory that a worker with a device says it has there

// What the workers of an implementation do. All of them share it, so that a test may change it while they run.
struct FakeWorker {
  double step_ns = 100'000;  // what a step is said to take
  // Called before each request with its name ("start", "load", "prepare", "run", "evaluate", "bye"); an error is the
  // worker's answer.
  std::function<Status(const std::string& request)> before = [](const std::string& /*request*/) { return Status(); };
  // How many steps it makes of those that it is asked for; it always says that it made all.
  std::function<std::uint64_t(std::uint64_t steps)> steps_made = [](std::uint64_t steps) { return steps; };
  // Changes what it says of a block whose end is at answer.end_step.
  std::function<void(protocol::BlockAnswer& answer)> says = [](protocol::BlockAnswer& /*answer*/) {};
  // Changes the problem that it computes.
  std::function<void(scenario::Problem& problem)> computes = [](scenario::Problem& /*problem*/) {};
  bool sleeps = false;                   // it is a process that uses no processor
  std::optional<double> script_step_ns;  // until a process is asked to settle; none: it has nothing to change
  // What timing each step adds to it, as a share: one half of the steps takes half of that, the other the rest. None:
  // it cannot.
  std::optional<double> cost_of_timing;
  double times_as_long_when_cold = 1;      // a step before which other work was done
  double stated_loss_factor = 1;           // on the loss that it states
  std::optional<double> device_share;      // of a block's time, that its device's clock shows; none: there is no device
  std::uint64_t max_added_iterations = 0;  // that a block was asked for with
  std::vector<std::uint64_t> warm_ups;     // steps before each block, of all of them
  std::vector<std::pair<std::size_t, std::size_t>> warm_up_images;  // of those with a warm-up, and where they begin
  std::vector<std::vector<double>> starts;                          // the first parameter where each block begins
  std::vector<std::vector<double>> starting_slots;                  // likewise, of optimizers that have some
};

// An implementation of linear regression by SGD in f32, hosted as plugins are, whose workers do as `worker` says.
protocol::CatalogueEntry fake_entry(const std::string& id, const std::shared_ptr<FakeWorker>& worker);

}  // namespace gdbench::tests
