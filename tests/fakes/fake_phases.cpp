// Linear regressions that differ in one phase by a known time, and say so in their profiles.
//
// Each op of a step waits, busily, for a stated time in addition to its (tiny) arithmetic, so that steps take the same
// time on any machine and build: 10 us for plain/fake. The others add kDelay in the place that their name tells.
// twin/fake adds nothing.
#include <array>
#include <chrono>
#include <cstdint>

#include "fake_core.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kDelay(4);

// The ops of a step, in order. The core makes the whole step's arithmetic at once, in the update.
enum Op { gather, record_ops, forward_product, loss, backward_product, sgd, none };

struct OpOfStep {
  const char* name;
  std::int32_t phase;
  microseconds wait;
};
constexpr std::array kOps = {OpOfStep{"gather", GDBENCH_PHASE_DATA, microseconds(1)},
                             OpOfStep{"record", GDBENCH_PHASE_RECORD, microseconds(1)},
                             OpOfStep{"product", GDBENCH_PHASE_FORWARD, microseconds(3)},
                             OpOfStep{"loss", GDBENCH_PHASE_FORWARD, microseconds(1)},
                             OpOfStep{"product", GDBENCH_PHASE_BACKWARD, microseconds(3)},
                             OpOfStep{"sgd", GDBENCH_PHASE_UPDATE, microseconds(1)}};

// What an implementation adds to one op: a longer call, or a second one.
struct Variant {
  const char* id;
  const char* description;
  Op delayed = none;
  bool repeated = false;
};
constexpr Variant kVariants[] = {{"plain/fake", "correct, with steps of 10 us"},
                                 {"twin/fake", "the same code again"},
                                 {"delay-data/fake", "waits in the gathering of rows", gather},
                                 {"delay-record/fake", "waits in the recording", record_ops},
                                 {"delay-forward/fake", "waits in the forward product", forward_product},
                                 {"delay-backward/fake", "waits in the backward product", backward_product},
                                 {"delay-update/fake", "waits in the update", sgd},
                                 {"repeat-forward/fake", "calls the forward product twice", forward_product, true}};

int calls_of(const Variant& variant, std::size_t op) { return op == variant.delayed && variant.repeated ? 2 : 1; }

void make(const Variant& variant, gdbench_instance* instance, std::size_t op) {
  for (int call = 0; call < calls_of(variant, op); ++call) {
    const bool longer = op == variant.delayed && !variant.repeated;
    const auto end = Clock::now() + kOps[op].wait + (longer ? kDelay : microseconds(0));
    while (Clock::now() < end) continue;
    if (op == sgd) fake_run(instance, 1);
  }
}

gdbench_status profile(gdbench_instance* instance, std::uint64_t steps, const gdbench_profile_sink* sink) {
  std::array<Clock::duration, kOps.size()> times{};
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t op = 0; op < kOps.size(); ++op) {
      const auto start = Clock::now();
      make(kVariants[instance->row], instance, op);
      times[op] += Clock::now() - start;
    }
  }
  for (std::size_t op = 0; op < kOps.size() && sink != nullptr; ++op) {
    gdbench_profile_record record{};
    record.op = kOps[op].name;
    record.phase = kOps[op].phase;
    record.calls = steps * static_cast<std::uint64_t>(calls_of(kVariants[instance->row], op));
    record.time_ns = std::chrono::duration<double, std::nano>(times[op]).count();
    sink->record(sink->context, &record);
  }
  return GDBENCH_OK;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return fake_plugin_of(host, kVariants, [](gdbench_implementation& implementation) {
    implementation.run = [](gdbench_instance* instance, std::uint64_t steps) {
      return profile(instance, steps, nullptr);
    };
    implementation.profile = profile;
  });
}
