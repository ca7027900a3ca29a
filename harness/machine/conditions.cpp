#include "harness/machine/conditions.h"

#include <sched.h>
#include <xmmintrin.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/machine/build_information.h"
#include "harness/machine/system_files.h"

namespace gdbench::machine {

namespace {

namespace fs = std::filesystem;
using report::Condition;
using report::Severity;

constexpr const char* kCpu = "sys/devices/system/cpu";
constexpr std::chrono::milliseconds kSample{100};
constexpr double kBusy = 0.05;    // share of the processors that others use
constexpr double kStolen = 0.01;  // share that the hypervisor takes

Condition unknown(const char* name, const char* why) { return {name, Severity::unknown, "not visible", why, ""}; }

Condition governor(const fs::path& root) {
  const std::optional<std::string> found = first_line(root / kCpu / "cpu0/cpufreq/scaling_governor");
  if (!found) return unknown("governor", "the kernel does not scale frequencies; a virtual machine's host may");
  if (*found == "performance") return {"governor", Severity::fine, *found, "", ""};
  return {"governor", Severity::warning, *found, "the clock rate follows the load, a block's start runs slower",
          "cpupower frequency-set --governor performance"};
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
  return {"hyper-threads", Severity::notice, "on", "whatever runs on the same core takes up to half of it",
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

std::vector<Condition> load_and_steal(const fs::path& root) {
  const std::optional<ProcessorTime> before = processor_time(root);
  std::this_thread::sleep_for(kSample);
  const std::optional<ProcessorTime> after = processor_time(root);
  if (!before || !after) return {unknown("load", "other processes may be at work"), unknown("stolen time", "")};
  const double total = std::max(after->total - before->total, 1.0);
  const double stolen = (after->stolen - before->stolen) / total;
  const double busy = 1 - (after->idle - before->idle) / total - stolen;
  const double ever = after->stolen / std::max(after->total, 1.0);
  Condition load{"load", Severity::fine, formatted("%.0f%% of the processors", 100 * busy), "", ""};
  if (busy > kBusy) {
    load.severity = Severity::warning;
    load.effect = "blocks are interrupted, caches and memory are shared";
    load.advice = "wait for other processes or stop them";
  }
  Condition steal{"stolen time", Severity::fine,
                  formatted("%.1f%% now, %.1f%% since the start", 100 * stolen, 100 * ever), "", ""};
  if (stolen > kStolen || ever > kStolen) {
    steal.severity = Severity::warning;
    steal.effect = "the hypervisor runs others on these processors";
    steal.advice = "another host, or more launches";
  }
  return {load, steal};
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
  return {"throttling", Severity::notice, std::to_string(count) + " times since the start",
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
  if (*found != "hpet" && *found != "acpi_pm" && *found != "jiffies") {
    return {"clock source", Severity::fine, *found, "", ""};
  }
  return {"clock source", Severity::warning, *found, "reading the clock takes microseconds",
          "clocksource=tsc on the kernel's command line, where the processor allows it"};
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
  if (count > 1) return {"processors", Severity::fine, std::to_string(count), "", ""};
  return {"processors", Severity::warning, "1", "the coordinator and whatever else runs interrupt the workers",
          "allow this process a second processor"};
}

Condition build() {
  const Json information = build_information();
  const std::string type = information["type"].is_string() ? information["type"].get<std::string>() : "none";
  const bool sanitized = information["flags"].get<std::string>().find("-fsanitize") != std::string::npos;
  if (type == "Release" && !sanitized) return {"build", Severity::fine, type, "", ""};
  return {"build", Severity::warning, type + (sanitized ? " with sanitizers" : ""), "times are not those of a release",
          "cmake --preset release"};
}

Condition control_word() {
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  const unsigned word = _mm_getcsr();
  if ((word & (kFlushToZero | kDenormalsAreZero)) == 0) return {"denormals", Severity::fine, "computed", "", ""};
  return {"denormals", Severity::warning, formatted("switched off (MXCSR 0x%04x)", word),
          "a library of this process computes something else; workers that inherit it are untrusted",
          "find the library that was built with -ffast-math: LD_PRELOAD, LD_LIBRARY_PATH"};
}

// Variables of the environment that workers inherit.
std::vector<Condition> library_variables() {
  std::vector<Condition> conditions;
  std::string threads;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_PROC_BIND",
                           "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) threads += (threads.empty() ? "" : ", ") + std::string(name) + "=" + value;
  }
  conditions.push_back(threads.empty() ? Condition{"library threads", Severity::fine, "nothing set", "", ""}
                                       : Condition{"library threads", Severity::notice, threads,
                                                   "a library may have other threads than a cell says",
                                                   "unset them; --threads says how many"});
  std::string kernels;
  for (const char* name : {"OPENBLAS_CORETYPE", "MKL_ENABLE_INSTRUCTIONS", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA",
                           "LD_PRELOAD", "MALLOC_ARENA_MAX"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) kernels += (kernels.empty() ? "" : ", ") + std::string(name) + "=" + value;
  }
  conditions.push_back(kernels.empty()
                           ? Condition{"library kernels", Severity::fine, "chosen by the libraries",
                                       "an OpenBLAS older than the processor takes those of an older one", ""}
                           : Condition{"library kernels", Severity::notice, kernels,
                                       "libraries run other kernels than they would by themselves", "unset them"});
  return conditions;
}

}  // namespace

std::vector<Condition> conditions(const fs::path& root) {
  std::vector<Condition> all = {governor(root), turbo(root), hyper_threads(root)};
  const auto append = [&all](std::vector<Condition> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(load_and_steal(root));
  append({swap(root), throttling(root), addresses(root), clock_source(root), quota(root), processors(), build(),
          control_word()});
  append(library_variables());
  return all;
}

}  // namespace gdbench::machine
