#include "harness/machine/conditions.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <thread>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/control_word.h"
#include "harness/base/json.h"
#include "harness/base/landlock.h"
#include "harness/base/text.h"
#include "harness/machine/build_information.h"
#include "harness/machine/environment.h"

namespace gdbench::machine {

namespace {

namespace fs = std::filesystem;
using report::Condition;
using report::Severity;

constexpr const char* kCpu = "sys/devices/system/cpu";
constexpr std::chrono::milliseconds kSample{100};
constexpr double kBusy = 0.05;    // share of the processors that others use
constexpr double kStolen = 0.01;  // share that the hypervisor takes
constexpr int kBlocks = 200;
constexpr std::int64_t kBlockNs = 2'000'000;
constexpr int kReadings = 20'000;
constexpr int kRepetitions = 20;
constexpr double kWideScatter = 0.05;  // of a block, from the fastest to the slowest tenth
constexpr double kSlowClockNs = 200;

// A warning; where nothing is spoilt, what was found alone.
Condition warning_if(bool spoils, const std::string& name, const std::string& found, const std::string& effect,
                     const std::string& advice) {
  assert(!effect.empty() && !advice.empty());
  if (!spoils) return {name, Severity::fine, found, "", ""};
  return {name, Severity::warning, found, effect, advice};
}

Condition unknown(const char* name, const char* why) { return {name, Severity::unknown, "not visible", why, ""}; }

Condition governor(const fs::path& root) {
  const std::optional<std::string> found = first_line(root / kCpu / "cpu0/cpufreq/scaling_governor");
  if (!found) return unknown("governor", "the kernel does not scale frequencies; a virtual machine's host may");
  return warning_if(*found != "performance", "governor", *found,
                    "the clock rate follows the load, a block's start runs slower",
                    "cpupower frequency-set --governor performance");
}

Condition turbo(const fs::path& root) {
  const std::optional<std::string> no_turbo = first_line(root / kCpu / "intel_pstate/no_turbo");
  const std::optional<std::string> boost = first_line(root / kCpu / "cpufreq/boost");
  if (!no_turbo && !boost) return unknown("turbo", "the clock rate may follow temperature and neighbours");
  const bool on = no_turbo ? *no_turbo == "0" : *boost == "1";
  if (!on) return {"turbo", Severity::fine, "off", "", ""};
  return {"turbo", Severity::notice, "on", "the clock rate follows temperature and how many cores work",
          no_turbo ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                   : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"};
}

Condition hyper_threads(const fs::path& root) {
  const std::optional<std::string> active = first_line(root / kCpu / "smt/active");
  if (!active) return unknown("hyper-threads", "a neighbour on the same core may take half of it");
  if (*active == "0") return {"hyper-threads", Severity::fine, "off", "", ""};
  return {"hyper-threads", Severity::notice, "on", "other work on the same core takes up to half of it",
          "keep the sibling of the compute processor idle, or echo off > /sys/devices/system/cpu/smt/control"};
}

// Jiffies of all processors, from the first line of /proc/stat: user nice system idle iowait irq softirq steal ...
struct ProcessorTime {
  double total = 0;
  double idle = 0;
  double stolen = 0;
};

std::optional<ProcessorTime> processor_time(const fs::path& root) {
  const std::optional<std::string> line = first_line(root / "proc/stat");
  if (!line) return std::nullopt;
  std::istringstream words(line->substr(line->find(' ')));
  std::array<double, 8> columns{};
  ProcessorTime time;
  for (double& column : columns) {
    if (!(words >> column)) return std::nullopt;
    time.total += column;
  }
  time.idle = columns[3] + columns[4];
  time.stolen = columns[7];
  return time;
}

std::pair<Condition, Condition> load_and_steal(const fs::path& root) {
  const std::optional<ProcessorTime> before = processor_time(root);
  std::this_thread::sleep_for(kSample);
  const std::optional<ProcessorTime> after = processor_time(root);
  if (!before || !after) return {unknown("load", "other processes may be at work"), unknown("stolen time", "")};
  const double total = std::max(after->total - before->total, 1.0);
  const double stolen = (after->stolen - before->stolen) / total;
  const double busy = 1 - (after->idle - before->idle) / total - stolen;
  const double ever = after->stolen / std::max(after->total, 1.0);
  return {warning_if(busy > kBusy, "load", formatted("%.0f%% of the processors", 100 * busy),
                     "blocks are interrupted, caches and memory are shared", "wait for other processes or stop them"),
          warning_if(stolen > kStolen || ever > kStolen, "stolen time",
                     formatted("%.1f%% now, %.1f%% since the start", 100 * stolen, 100 * ever),
                     "the hypervisor runs others on these processors", "another host, or more launches")};
}

Condition swap(const fs::path& root) {
  const auto values = key_values(root / "proc/meminfo", ':');
  const auto total = values.find("SwapTotal");
  const auto free = values.find("SwapFree");
  if (total == values.end() || free == values.end()) return unknown("swap", "");
  const double used = std::strtod(total->second.c_str(), nullptr) - std::strtod(free->second.c_str(), nullptr);
  if (used <= 0) return {"swap", Severity::fine, "none used", "", ""};
  return {"swap", Severity::warning, formatted("%.0f MiB used", used / 1024),
          "memory that was swapped out comes back in the middle of a block", "swapoff --all, or less in memory"};
}

Condition throttling(const fs::path& root) {
  long count = 0;
  bool seen = false;
  for (int i = 0;; ++i) {
    const fs::path cpu = root / kCpu / ("cpu" + std::to_string(i));
    std::error_code error;
    if (!fs::exists(cpu, error)) break;
    const std::optional<std::string> line = first_line(cpu / "thermal_throttle/core_throttle_count");
    if (!line) continue;
    seen = true;
    count += std::strtol(line->c_str(), nullptr, 10);
  }
  if (!seen) return unknown("throttling", "a host may slow its processors down when they are hot");
  if (count == 0) return {"throttling", Severity::fine, "never", "", ""};
  return {"throttling", Severity::notice, cat(count, count == 1 ? " time" : " times", " since the start"),
          "processors that were too hot ran slower", "cooling; compare within one run only"};
}

Condition addresses(const fs::path& root) {
  const std::optional<std::string> found = first_line(root / "proc/sys/kernel/randomize_va_space");
  if (!found) return unknown("randomised addresses", "");
  return {"randomised addresses", Severity::fine, *found == "0" ? "off" : "on",
          *found == "0" ? "every launch has the same layout: what it costs is in all of them" : "", ""};
}

Condition clock_source(const fs::path& root) {
  const std::optional<std::string> found =
      first_line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!found) return unknown("clock source", "");
  const bool slow = *found == "hpet" || *found == "acpi_pm" || *found == "jiffies";
  return warning_if(slow, "clock source", *found, "reading the clock takes microseconds",
                    "clocksource=tsc on the kernel's command line, where the processor allows it");
}

Condition quota(const fs::path& root) {
  const std::optional<std::string> found = first_line(root / "sys/fs/cgroup/cpu.max");
  if (!found || found->starts_with("max")) return {"quota", Severity::fine, "none", "", ""};
  double limit = 0;
  double period = 1;
  std::istringstream(*found) >> limit >> period;
  return {"quota", Severity::warning, formatted("%.2f processors", limit / period),
          "processes are stopped in the middle of a block when it is used up",
          "give the container whole processors (cpuset) instead of a quota"};
}

Condition processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return unknown("processors", "");
  const int count = CPU_COUNT(&set);
  return warning_if(count == 1, "processors", std::to_string(count),
                    "the coordinator and other processes interrupt the workers",
                    "allow this process a second processor");
}

Condition build() {
  const Json information = build_information();
  const std::string type = information["type"].is_string() ? information["type"].get<std::string>() : "none";
  const bool sanitized = information["flags"].get<std::string>().find("-fsanitize") != std::string::npos;
  return warning_if(type != "Release" || sanitized, "build", type + (sanitized ? " with sanitizers" : ""),
                    "times are not those of a release", "cmake --preset release");
}

Condition control_word() {
  const std::uint32_t word = processor::control_word();
  if ((word & (processor::kFlushToZero | processor::kDenormalsAreZero)) == 0) {
    return {"denormals", Severity::fine, "computed", "", ""};
  }
  return {"denormals", Severity::warning, formatted("switched off (%s 0x%04x)", processor::kControlWordName, word),
          "a library of this process computes something else; workers that inherit it are untrusted",
          "find the library that was built with -ffast-math: LD_PRELOAD, LD_LIBRARY_PATH"};
}

// Of variables of the environment, which workers inherit, those that are set: "NAME=value, ...".
std::string set_among(std::initializer_list<const char*> names) {
  std::vector<std::string> found;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) found.push_back(cat(name, "=", value));
  }
  return joined(found);
}

Condition library_threads() {
  const std::string found = set_among({"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_PROC_BIND",
                                       "GOMP_CPU_AFFINITY", "KMP_AFFINITY"});
  if (found.empty()) return {"library threads", Severity::fine, "nothing set", "", ""};
  return {"library threads", Severity::notice, found, "a library may have other threads than a cell says",
          "unset them; --threads says how many"};
}

Condition library_kernels() {
  const std::string found = set_among({"OPENBLAS_CORETYPE", "MKL_ENABLE_INSTRUCTIONS", "DNNL_MAX_CPU_ISA",
                                       "ONEDNN_MAX_CPU_ISA", "LD_PRELOAD", "MALLOC_ARENA_MAX"});
  if (found.empty()) {
    return {"library kernels", Severity::fine, "chosen by the libraries",
            "an OpenBLAS older than the processor takes those of an older one", ""};
  }
  return {"library kernels", Severity::notice, found, "libraries run other kernels than they would by themselves",
          "unset them"};
}

// A chain of dependent multiplications that `operand` goes through and stays as it is.
float chain(std::int64_t iterations, float operand) {
  volatile float one = 1;  // which the compiler does not know
  const float factor = one;
  for (std::int64_t i = 0; i < iterations; ++i) operand *= factor;
  return operand;
}

double nanoseconds_of_chain(std::int64_t iterations, float operand) {
  const std::int64_t start = monotonic_ns();
  volatile float sink = chain(iterations, operand);
  static_cast<void>(sink);
  return static_cast<double>(monotonic_ns() - start);
}

Condition scatter() {
  std::int64_t iterations = 100'000;
  iterations =
      static_cast<std::int64_t>(static_cast<double>(iterations) * kBlockNs / nanoseconds_of_chain(iterations, 1));
  std::vector<double> blocks;
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(nanoseconds_of_chain(iterations, 1));
  std::sort(blocks.begin(), blocks.end());
  const double least = blocks.front();
  const double middle = blocks[blocks.size() / 2] / least - 1;
  const double slow = blocks[blocks.size() * 9 / 10] / least - 1;
  return warning_if(
      slow > kWideScatter, "scatter",
      formatted("blocks of 2 ms: middle +%.1f%%, slowest tenth +%.1f%% over the fastest", 100 * middle, 100 * slow),
      "intervals are wide, small differences are not found",
      "more launches (--launches, --budget); gdbench calibrate says what is found");
}

Condition clock_reading() {
  std::int64_t min_step = std::numeric_limits<std::int64_t>::max();
  const std::int64_t start = monotonic_ns();
  std::int64_t before = start;
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t now = monotonic_ns();
    if (now > before) min_step = std::min(min_step, now - before);
    before = now;
  }
  const double reading_ns = static_cast<double>(before - start) / kReadings;
  return warning_if(
      reading_ns > kSlowClockNs, "clock",
      formatted("a reading takes %.0f ns, steps of %lld ns", reading_ns, static_cast<long long>(min_step)),
      "profiles of short steps show the clock",
      "profile longer steps, as of larger batches, or look at the clock source");
}

Condition denormal_cost() {
  constexpr std::int64_t kIterations = 20'000;
  double normal = std::numeric_limits<double>::infinity();
  double denormal = normal;
  for (int i = 0; i < kRepetitions; ++i) {
    normal = std::min(normal, nanoseconds_of_chain(kIterations, 1));
    denormal = std::min(denormal, nanoseconds_of_chain(kIterations, 1e-40F));
  }
  return {
      "denormal arithmetic", Severity::fine, formatted("an operation takes %.1f times as long", denormal / normal),
      denormal > 2 * normal ? "training that reaches its fixed point gets slower: blocks start from a set state" : "",
      ""};
}

// Adds up vectors from `first` on; `count` floats, a multiple of 16.
float add_up(const float* first, std::size_t count) {
  using Vector [[gnu::vector_size(16)]] = float;
  Vector sums[4] = {};
  for (std::size_t i = 0; i < count; i += 16) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      Vector entries;
      std::memcpy(&entries, first + i + 4 * lane, sizeof entries);  // at any address
      sums[lane] += entries;
    }
  }
  const Vector sum = sums[0] + sums[1] + (sums[2] + sums[3]);
  return sum[0];
}

Condition unaligned_cost() {
  constexpr std::size_t kCount = 4096;  // 16 KiB: the nearest cache
  constexpr std::size_t kLine = 16;     // floats
  std::vector<float> memory(kCount + 2 * kLine, 0.5F);
  const std::size_t offset = (kLine - reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(float) % kLine) % kLine;
  double times[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kRepetitions; ++i) {
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
      const std::int64_t start = monotonic_ns();
      for (int pass = 0; pass < 100; ++pass) {
        volatile float sink = add_up(memory.data() + offset + shift, kCount);
        static_cast<void>(sink);
      }
      times[shift] = std::min(times[shift], static_cast<double>(monotonic_ns() - start));
    }
  }
  return {"unaligned vectors", Severity::fine, formatted("reading them takes %.2f times as long", times[1] / times[0]),
          "data of every worker is aligned to 64 bytes", ""};
}

// What keeps workers from each other and from files (SECURITY.md).
Condition confinement() {
  struct Part {
    int since;
    const char* name;
    const char* kernel;
  };
  const int version = landlock_version();
  std::vector<std::string> kept;
  std::vector<std::string> missing;
  for (const auto& [since, name, kernel] : {Part{1, "files", "5.13"}, {4, "TCP", "6.7"}, {6, "signals", "6.12"}}) {
    if (version >= since) kept.emplace_back(name);
    if (version < since) missing.push_back(cat(name, " (Linux ", kernel, ")"));
  }
  if (missing.empty()) return {"confinement", Severity::fine, joined(kept), "", ""};
  return {"confinement", Severity::notice, kept.empty() ? "none" : joined(kept),
          "a plugin could harm what the kernel has no rules for: " + joined(missing),
          "measure plugins of others elsewhere"};
}

Condition user() {
  const bool root = geteuid() == 0;
  return {"user", Severity::fine, root ? "root" : "not root", root ? "nothing here needs root's rights" : "", ""};
}

}  // namespace

std::vector<Condition> conditions(const fs::path& root) {
  const auto [load, stolen_time] = load_and_steal(root);
  return {governor(root),   turbo(root),       hyper_threads(root), load,          stolen_time,  swap(root),
          throttling(root), addresses(root),   clock_source(root),  quota(root),   processors(), build(),
          control_word(),   library_threads(), library_kernels(),   confinement(), user()};
}

std::vector<Condition> measured_conditions(int processor) {
  std::vector<Condition> conditions;
  // In a thread of its own, so that this one keeps its place.
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    sched_setaffinity(0, sizeof set, &set);
    conditions = {scatter(), clock_reading(), denormal_cost(), unaligned_cost()};
  }).join();
  return conditions;
}

}  // namespace gdbench::machine
