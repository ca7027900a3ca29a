// Right, and not to be believed.
#include <time.h>
#include <unistd.h>

#include <deque>
#include <thread>
#include <vector>

#include "fakes.h"
#include "harness/base/control_word.h"

namespace {

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// Says that it computes on a device, by whose clock every block takes half as long as it does.
double elapsed_ns = 0;
gdbench_status run_by_clock(gdbench_instance* instance, std::uint64_t steps) {
  const double start_ns = now_ns();
  const gdbench_status status = fake_run(instance, steps);
  elapsed_ns = now_ns() - start_ns;
  return status;
}
void declare_device(gdbench_implementation& fake) {
  fake.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_DEVICE);
  fake.device_time = [](gdbench_instance*, double* nanoseconds) {
    *nanoseconds = elapsed_ns / 2;
    return GDBENCH_OK;
  };
}

// Comes back from run while a thread of its own still trains; a request for the state waits for it. It declares the
// thread, so that nothing but the time is wrong.
std::thread trainer;
void wait_for_trainer() {
  if (trainer.joinable()) trainer.join();
}
gdbench_status run_behind(gdbench_instance* instance, std::uint64_t steps) {
  wait_for_trainer();
  trainer = std::thread([=] { fake_run(instance, steps); });
  return GDBENCH_OK;
}
void declare_trainer(gdbench_implementation& fake) {
  fake.helper_threads = 1;
  fake.destroy = [](gdbench_instance* instance) {
    wait_for_trainer();
    fake_destroy(instance);
  };
  fake.set_state = [](gdbench_instance* instance, const gdbench_state* state) {
    wait_for_trainer();
    return fake_set_state(instance, state);
  };
  fake.get_state = [](gdbench_instance* instance, gdbench_state* state) {
    wait_for_trainer();
    return fake_get_state(instance, state);
  };
}

// As a library built with -ffast-math does when it is loaded.
gdbench_status prepare_flushing(gdbench_instance* instance, const gdbench_problem* problem,
                                const gdbench_settings* settings) {
  namespace processor = gdbench::processor;
  processor::set_control_word(processor::control_word() | processor::kFlushToZero | processor::kDenormalsAreZero);
  return fake_prepare(instance, problem, settings);
}

// Repeats what it remembers of an earlier run of the same length from the same state, and so trains only once.
struct Memory {
  std::uint64_t steps;
  std::vector<double> start;
  std::vector<double> end;
};
std::deque<Memory> memories;
gdbench_status run_or_remember(gdbench_instance* instance, std::uint64_t steps) {
  constexpr std::size_t kMemories = 16;
  const std::vector<double> start = instance->parameters;
  for (const Memory& memory : memories) {
    if (memory.steps != steps || memory.start != start) continue;
    instance->parameters = memory.end;
    instance->step += static_cast<std::int64_t>(steps);
    return GDBENCH_OK;
  }
  const gdbench_status status = fake_run(instance, steps);
  memories.push_back({steps, start, instance->parameters});
  if (memories.size() > kMemories) memories.pop_front();
  return status;
}

// Has a thread that it does not declare; it only sleeps, so that no CPU time gives it away.
gdbench_status prepare_sleeper(gdbench_instance* instance, const gdbench_problem* problem,
                               const gdbench_settings* settings) {
  std::thread([] {
    for (;;) pause();
  }).detach();
  return fake_prepare(instance, problem, settings);
}

constexpr Fake kFakes[] = {
    {"device_clock", "fake/device-clock", "its device's clock is slow", run_by_clock, fake_prepare, declare_device},
    {"early", "fake/early", "comes back before it has trained", run_behind, fake_prepare, declare_trainer},
    {"flush", "fake/flush", "switches denormals off", fake_run, prepare_flushing},
    {"remember", "fake/remember", "repeats an answer that it remembers", run_or_remember},
    {"threads", "fake/threads", "has a thread that it does not declare", fake_run, prepare_sleeper},
};

}  // namespace

gdbench_plugin* make_fake(std::string_view name, const gdbench_host* host) { return plugin_of(kFakes, name, host); }
