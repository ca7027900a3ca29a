// Implementations that fail or mislead, and honest ones with something that a test can see: fake_core's regression
// except for one thing each. fake_entry.cpp is built once for each.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "fake_core.h"

namespace {

struct Fake {
  std::string_view name;  // of its library, behind fake_
  const char* id;
  const char* description;
  gdbench_status (*run)(gdbench_instance* instance, std::uint64_t steps) = fake_run;
  gdbench_status (*prepare)(gdbench_instance* instance, const gdbench_problem* problem,
                            const gdbench_settings* settings) = fake_prepare;
  void (*change)(gdbench_implementation& fake) = nullptr;  // of the rest
  std::span<const gdbench_option> options = {};
};

// Calls act(value) for each option of a key that has one.
template <class Act>
void with_option(const gdbench_settings* settings, std::string_view key, const Act& act) {
  for (std::int64_t i = 0; i < settings->option_count; ++i) {
    if (settings->options[i].key == key) act(settings->options[i].value);
  }
}

gdbench_status crash(gdbench_instance*, std::uint64_t) {
  raise(SIGSEGV);
  return GDBENCH_OK;
}

gdbench_status leave(gdbench_instance*, std::uint64_t) { _exit(0); }

gdbench_status hang(gdbench_instance*, std::uint64_t) {
  for (;;) pause();
}

gdbench_status throw_out(gdbench_instance*, std::uint64_t) { throw std::runtime_error("thrown by fake/throw"); }

// Slowly enough (400 MB/s at most) for a host to see it.
gdbench_status exhaust_memory(gdbench_instance*, std::uint64_t) {
  constexpr std::size_t kChunk = std::size_t{8} << 20;
  for (;;) {
    void* const memory = std::malloc(kChunk);
    if (memory == nullptr) return fake_error(GDBENCH_OUT_OF_MEMORY, "malloc returned null");
    std::memset(memory, 1, kChunk);
    // Hidden from the optimiser, which may otherwise remove an allocation that is not read.
    __asm__ volatile("" : : "g"(memory) : "memory");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // NOLINT(clang-analyzer-unix.Malloc)
  }
}

gdbench_status run_to_nan(gdbench_instance* instance, std::uint64_t steps) {
  const gdbench_status status = fake_run(instance, steps);
  instance->parameters[0] = std::nan("");
  return status;
}

gdbench_status run_with_wrong_gradient(gdbench_instance* instance, std::uint64_t steps) {
  instance->gradient_factor = 2;
  return fake_run(instance, steps);
}

// Makes half of the updates of a long run and counts them all: looks fast, and is right on short runs.
gdbench_status run_and_skip(gdbench_instance* instance, std::uint64_t steps) {
  constexpr std::uint64_t kLongestHonestRun = 64;
  if (steps <= kLongestHonestRun) return fake_run(instance, steps);
  const gdbench_status status = fake_run(instance, steps / 2);
  instance->step += static_cast<std::int64_t>(steps - steps / 2);
  return status;
}

// A thread that it never declared keeps a processor busy from the first run to the end.
std::atomic<bool> burning{false};
std::thread burner;
gdbench_status run_and_burn(gdbench_instance* instance, std::uint64_t steps) {
  if (!burning.exchange(true)) {
    burner = std::thread([] {
      while (burning) continue;
    });
  }
  return fake_run(instance, steps);
}
void stop_burning(gdbench_instance* instance) {
  if (burning.exchange(false)) burner.join();
  fake_destroy(instance);
}

void print_garbage() {
  std::printf("{\"request\": \"bye\"}\nprogress 42%%\r");
  std::fprintf(stderr, "warning: \x1b[31mred\x1b[0m and a torn line");
  std::fflush(nullptr);
}
gdbench_status run_and_print(gdbench_instance* instance, std::uint64_t steps) {
  print_garbage();
  return fake_run(instance, steps);
}

// Says that its loss is next to nothing once it has trained for longer than any check does.
gdbench_status flatter(gdbench_instance* instance, std::int32_t split, double* loss) {
  const gdbench_data& data = *instance->data;
  if (split != 0) return fake_error(GDBENCH_UNSUPPORTED, "only the training split");
  double squares = 0;
  for (std::int64_t i = 0; i < data.rows * data.outputs; ++i) {
    squares += std::pow(fake_residual(*instance, i / data.outputs, i % data.outputs), 2);
  }
  *loss = instance->step < 100 ? squares / static_cast<double>(data.rows * data.outputs) : 1e-9;
  if (instance->problem->loss == GDBENCH_HALF_MSE) *loss /= 2;
  return GDBENCH_OK;
}

void wait_busily(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

// Each step waits, busily. Several threads are taken to wait an equal share each at the same time; one of them
// does. Without a delay no clock is read.
gdbench_status run_and_wait(gdbench_instance* instance, std::uint64_t steps) {
  if (instance->delay_ns <= 0) return fake_run(instance, steps);
  for (std::uint64_t step = 0; step < steps; ++step) {
    fake_run(instance, 1);
    wait_busily(std::chrono::nanoseconds(instance->delay_ns));
  }
  return GDBENCH_OK;
}

// Without "exact" the gradient is wrong, without "prompt" each step waits a while.
gdbench_status prepare_parts(gdbench_instance* instance, const gdbench_problem* problem,
                             const gdbench_settings* settings) {
  with_option(settings, "parts", [&](const char* value) {
    const std::string_view parts = value;
    const bool none = parts.find("none") != parts.npos;
    if (none || parts.find("-exact") != parts.npos) instance->gradient_factor = 0.5;
    if (none || parts.find("-prompt") != parts.npos) instance->delay_ns = 2000;
  });
  return fake_prepare(instance, problem, settings);
}

gdbench_status prepare_fails(gdbench_instance*, const gdbench_problem*, const gdbench_settings*) {
  return fake_error(GDBENCH_FAILED, "the accelerator is on fire");
}

gdbench_status prepare_unsupported(gdbench_instance*, const gdbench_problem*, const gdbench_settings*) {
  return fake_error(GDBENCH_UNSUPPORTED, "only problems of another kind");
}

// Takes memory in each step: blocks of 48 bytes, all freed at once, and fresh pages from the kernel, all returned.
std::int64_t allocations_per_step = 0;
std::int64_t pages_per_step = 0;
void* volatile block = nullptr;  // kept from being optimised away with the calls that fill it

void touch_fresh_pages() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = static_cast<std::size_t>(pages_per_step) * page;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  for (std::size_t i = 0; i < bytes; i += page) static_cast<char*>(pages)[i] = 1;
  munmap(pages, bytes);
}

gdbench_status run_and_allocate(gdbench_instance* instance, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < allocations_per_step; ++i) {
      block = std::malloc(48);
      std::free(block);
    }
    if (pages_per_step > 0) touch_fresh_pages();
    fake_run(instance, 1);
  }
  return GDBENCH_OK;
}

// Ages in a process that goes on and on: keeps memory of each step, and after so many steps each of them waits, or one
// in so many a while.
std::int64_t kept_bytes = 0;
std::int64_t slower_after = 0;
std::int64_t pause_every = 0;
std::int64_t steps_so_far = 0;

gdbench_status prepare_counts(gdbench_instance* instance, const gdbench_problem* problem,
                              const gdbench_settings* settings) {
  const std::pair<const char*, std::int64_t*> counts[] = {
      {"delay_ns", &instance->delay_ns},   {"allocations_per_step", &allocations_per_step},
      {"pages_per_step", &pages_per_step}, {"kept_bytes", &kept_bytes},
      {"slower_after", &slower_after},     {"pause_every", &pause_every}};
  for (const auto& [key, count] : counts) {
    with_option(settings, key, [&](const char* value) { *count = std::strtoll(value, nullptr, 10); });
  }
  instance->delay_ns /= settings->compute_threads;
  return fake_prepare(instance, problem, settings);
}

gdbench_status run_and_age(gdbench_instance* instance, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    fake_run(instance, 1);
    ++steps_so_far;
    if (kept_bytes > 0) {
      block = std::malloc(static_cast<std::size_t>(kept_bytes));
      std::memset(block, 1, static_cast<std::size_t>(kept_bytes));
    }
    wait_busily(std::chrono::microseconds(slower_after > 0 && steps_so_far > slower_after ? 60 : 20));
    if (pause_every > 0 && steps_so_far % pause_every == 0) wait_busily(std::chrono::milliseconds(50));
  }
  return GDBENCH_OK;
}

constexpr gdbench_option kAging[] = {
    {"kept_bytes", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "of memory that each step keeps"},
    {"slower_after", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "steps, from which on one takes 60 us instead of 20"},
    {"pause_every", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "steps, of which the last waits for 50 ms"}};
constexpr gdbench_option kAllocations[] = {
    {"allocations_per_step", GDBENCH_OPTION_INTEGER, 0, "3", nullptr, "blocks of 48 bytes allocated in each step"},
    {"pages_per_step", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "pages taken from the kernel in each step"}};
constexpr gdbench_option kDelay[] = {
    {"delay_ns", GDBENCH_OPTION_INTEGER, 0, "0", nullptr, "busy wait added to each step, in nanoseconds"}};
constexpr gdbench_option kParts[] = {{"parts", GDBENCH_OPTION_SWITCHES, 0, "all", "prompt|exact", "what is on"}};

// One record without a time: what is counted here is counted from outside.
gdbench_status profile_allocations(gdbench_instance* instance, std::uint64_t steps, const gdbench_profile_sink* sink) {
  gdbench_profile_record record{};
  record.op = "step";
  record.phase = GDBENCH_PHASE_FORWARD;
  record.calls = steps;
  const gdbench_status status = run_and_allocate(instance, steps);
  sink->record(sink->context, &record);
  return status;
}

void declare_import(gdbench_implementation& fake) {
  fake.imported = [](gdbench_instance*, double* nanoseconds, std::int64_t* resident_bytes) {
    *nanoseconds = 250e6;
    *resident_bytes = 3 << 20;
    return GDBENCH_OK;
  };
  fake.runtime = [](gdbench_instance*) { return "a library, version 7"; };
}

// A table of an older minor version. What lies beyond struct_size means nothing: a host that reads it calls a function
// that ends the process.
void shorten(gdbench_implementation& fake) {
  fake.struct_size = offsetof(gdbench_implementation, evaluate);
  fake.evaluate = reinterpret_cast<decltype(fake.evaluate)>(std::uintptr_t{1});
  fake.profile = reinterpret_cast<decltype(fake.profile)>(std::uintptr_t{1});
}

// Does nothing, and says so: what is measured is the harness's own cost. The state is zeros, as there are no
// parameters.
void do_nothing(gdbench_implementation& fake) {
  fake.activations = fake.losses = fake.optimizers = UINT32_MAX;
  fake.capabilities |= GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC);
  fake.max_layers = 0;
  fake.prepare = [](gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings*) {
    instance->problem = problem;
    return GDBENCH_OK;
  };
  fake.set_state = [](gdbench_instance* instance, const gdbench_state* state) {
    instance->step = state->step;
    return GDBENCH_OK;
  };
  fake.get_state = [](gdbench_instance* instance, gdbench_state* state) {
    const std::size_t element_bytes = instance->problem->dtype == GDBENCH_F32 ? sizeof(float) : sizeof(double);
    state->step = instance->step;
    for (std::int64_t p = 0; p < state->parameter_count; ++p) {
      const gdbench_tensor& tensor = state->parameters[p];
      std::memset(tensor.data, 0, element_bytes * static_cast<std::size_t>(tensor.rows * tensor.columns));
    }
    return GDBENCH_OK;
  };
  fake.run = [](gdbench_instance* instance, std::uint64_t steps) {
    instance->step += static_cast<std::int64_t>(steps);
    return GDBENCH_OK;
  };
}

constexpr Fake kFakes[] = {
    {"abi", "fake/abi", "ABI major 99"},
    {"ages", "fake/ages", "correct, changes after many steps", run_and_age, prepare_counts, nullptr, kAging},
    {"allocate", "fake/allocate", "correct, allocates in each step", run_and_allocate, prepare_counts,
     [](gdbench_implementation& fake) { fake.profile = profile_allocations; }, kAllocations},
    {"crash", "fake/crash", "segmentation fault in run", crash},
    {"delay", "fake/delay", "correct, with a wait in each step", run_and_wait, prepare_counts,
     [](gdbench_implementation& fake) {
       fake.max_compute_threads = 0; /* any number */
     },
     kDelay},
    {"exit", "fake/exit", "calls _exit(0) in run", leave},
    {.name = "flatter",
     .id = "fake/flatter",
     .description = "a loss that is too good",
     .change = [](gdbench_implementation& fake) { fake.evaluate = flatter; }},
    {"hang", "fake/hang", "run never returns", hang},
    {.name = "idle",
     .id = "fake/idle",
     .description = "burns processor time between runs",
     .run = run_and_burn,
     .change = [](gdbench_implementation& fake) { fake.destroy = stop_burning; }},
    {.name = "import", .id = "fake/import", .description = "loads a library", .change = declare_import},
    {"memory", "fake/memory", "run allocates without end", exhaust_memory},
    {"nan", "fake/nan", "writes a NaN into the first weight", run_to_nan},
    {.name = "null", .id = "null/none", .description = "does nothing: the harness's own cost", .change = do_nothing},
    {.name = "older", .id = "fake/older", .description = "a table without its last entries", .change = shorten},
    {"prepare_fails", "fake/prepare-fails", "prepare fails", fake_run, prepare_fails},
    {"skip", "fake/skip", "skips half of the updates of a long run", run_and_skip},
    {.name = "stdout",
     .id = "fake/stdout",
     .description = "prints on stdout and stderr",
     .run = run_and_print,
     .change = [](gdbench_implementation&) { print_garbage(); }},
    {"switches", "fake/switches", "has parts that can be switched off", run_and_wait, prepare_parts, nullptr, kParts},
    {"throw", "fake/throw", "throws a C++ exception in run", throw_out},
    {"unsupported", "fake/unsupported", "prepare offers nothing", fake_run, prepare_unsupported},
    {"wrong", "fake/wrong", "gradient off by a factor of two", run_with_wrong_gradient},
};

}  // namespace

gdbench_plugin* make_fake(std::string_view name, const gdbench_host* host) {
  const Fake& chosen = *std::ranges::find(kFakes, name, &Fake::name);
  gdbench_implementation* const fake = fake_implementation(host, chosen.id, chosen.description);
  fake->run = chosen.run;
  fake->prepare = chosen.prepare;
  fake->options = chosen.options.data();
  fake->option_count = static_cast<std::int64_t>(chosen.options.size());
  if (chosen.change != nullptr) chosen.change(*fake);
  gdbench_plugin* const plugin = fake_plugin();
  if (name == "abi") plugin->abi_major = 99;
  return plugin;
}
