#include "harness/machine/ceilings.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/base/shared_memory.h"

namespace gdbench::machine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxSharedCache = std::int64_t{32} << 20;
constexpr std::int64_t kMemoryPass = std::int64_t{32} << 20;
constexpr std::int64_t kPage = 4096;
// Long beside the clock's own 30 ns, short beside the spells in which a shared machine is slow.
constexpr double kRepetitionNs = 300'000;
constexpr int kMinRounds = 2;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

std::int64_t whole_pages(double bytes) { return std::max<std::int64_t>(1, std::llround(bytes / kPage)) * kPage; }

Level cache(const char* name, std::int64_t capacity, double working_set) {
  const std::int64_t bytes = whole_pages(working_set);
  return {name, capacity, bytes, bytes};
}

// One timed repetition: operations or bytes, and how long they took.
struct Reading {
  double units = 0;
  double nanoseconds = 0;
};

Reading time_arithmetic(const Probe& probe, std::int64_t iterations) {
  const ScalarTypeLoops& loops = probe.f64 ? probe.kernels->f64 : probe.kernels->f32;
  const ArithmeticLoop loop = probe.quantity == Quantity::fma_rate      ? loops.fma_rate
                              : probe.quantity == Quantity::fma_latency ? loops.fma_latency
                                                                        : loops.addition_latency;
  const int lanes = probe.kernels->bits / (probe.f64 ? 64 : 32);
  const double per_iteration = probe.quantity == Quantity::fma_rate ? 2.0 * kRateAccumulators * lanes : kChainLength;
  const auto start = Clock::now();
  // A half and one converge to two: neither overflow nor denormals.
  volatile double result = loop(iterations, 0.5, 1);
  static_cast<void>(result);
  return {per_iteration * static_cast<double>(iterations), nanoseconds_since(start)};
}

Reading time_memory(const Probe& probe, const Level& level, std::byte* buffer, std::int64_t passes) {
  const MemoryLoop loop = probe.quantity == Quantity::update
                              ? probe.kernels->update
                              : probe.kernels->read[static_cast<std::size_t>(probe.streams - 1)];
  const auto start = Clock::now();
  const std::int64_t bytes = loop(buffer, level.pass_bytes, passes);
  return {static_cast<double>(bytes), nanoseconds_since(start)};
}

// Repeats one probe with a length that it finds at the first call.
class Repetition {
 public:
  Reading once(const Probe& probe, std::span<const Level> levels, std::byte* buffer) {
    if (probe.quantity != Quantity::read && probe.quantity != Quantity::update) {
      return until_long_enough([&] { return time_arithmetic(probe, length_ * 256); });
    }
    const Level& level = levels[probe.level];
    if (level.span_bytes == level.pass_bytes) {
      return until_long_enough([&] { return time_memory(probe, level, buffer, length_); });
    }
    // Each pass takes the next part of the span, so that a large last-level cache has dropped it since the last visit.
    const Reading reading = time_memory(probe, level, buffer + offset_, 1);
    offset_ = offset_ + 2 * level.pass_bytes <= level.span_bytes ? offset_ + level.pass_bytes : 0;
    return reading;
  }

 private:
  template <class Timed>
  Reading until_long_enough(Timed timed) {
    Reading reading = timed();
    while (!calibrated_ && reading.nanoseconds < kRepetitionNs) {
      length_ *= 2;
      reading = timed();
    }
    calibrated_ = true;
    return reading;
  }

  std::int64_t length_ = 1;
  std::int64_t offset_ = 0;
  bool calibrated_ = false;
};

void store_arithmetic(const Probe& probe, double best, report::VectorCeilings& width) {
  switch (probe.quantity) {
    case Quantity::fma_rate:
      (probe.f64 ? width.fma_f64_gflop_per_second : width.fma_f32_gflop_per_second) = best;
      return;
    case Quantity::fma_latency:
      (probe.f64 ? width.fma_f64_latency_ns : width.fma_f32_latency_ns) = 1 / best;
      return;
    case Quantity::addition_latency:
      (probe.f64 ? width.addition_f64_latency_ns : width.addition_f32_latency_ns) = 1 / best;
      return;
    case Quantity::read:
    case Quantity::update:
      return;
  }
}

void store_memory(const Probe& probe, double best, report::LevelCeiling& level) {
  if (probe.quantity == Quantity::update) level.update_gb_per_second = best;
  if (probe.quantity != Quantity::read || best <= level.read_gb_per_second) return;
  level.read_gb_per_second = best;
  level.read_streams = probe.streams;
}

}  // namespace

std::vector<Level> levels_of(const CacheSizes& caches, std::int64_t memory_bytes) {
  std::vector<Level> levels;
  if (caches.l1 > 0) levels.push_back(cache("L1", caches.l1, static_cast<double>(caches.l1) / 2));
  if (caches.l2 > 0) levels.push_back(cache("L2", caches.l2, static_cast<double>(caches.l2) / 2));
  if (caches.l3 > 0) {
    const auto ours = static_cast<double>(std::min(caches.l3, kMaxSharedCache));
    const auto closer = static_cast<double>(caches.l2);
    levels.push_back(cache("L3", caches.l3, closer > 0 && closer < ours ? std::sqrt(closer * ours) : ours / 2));
  }
  // Parts of the span, at least two of them.
  const std::int64_t pass = whole_pages(static_cast<double>(std::min(kMemoryPass, memory_bytes / 4)));
  levels.push_back({"memory", 0, pass, std::max(pass * 2, memory_bytes / pass * pass)});
  return levels;
}

std::vector<Probe> probes_of(const std::vector<Level>& levels) {
  std::vector<Probe> probes;
  for (const VectorKernels* kernels : kVectorKernels) {
    if (!kernels->supported()) continue;
    for (const bool f64 : {false, true}) {
      for (const Quantity quantity : {Quantity::fma_rate, Quantity::fma_latency, Quantity::addition_latency}) {
        probes.push_back({kernels, quantity, f64, 0, 1});
      }
    }
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (int streams = 1; streams <= kMaxStreams; ++streams) {
        probes.push_back({kernels, Quantity::read, false, level, streams});
      }
      probes.push_back({kernels, Quantity::update, false, level, 1});
    }
  }
  return probes;
}

void run_probes(std::span<const Probe> probes, std::span<const Level> levels, double seconds, std::byte* buffer,
                std::span<double> best) {
  const auto start = Clock::now();
  std::vector<Repetition> repetitions(probes.size());
  for (int round = 0; round < kMinRounds || nanoseconds_since(start) < seconds * 1e9; ++round) {
    for (std::size_t p = 0; p < probes.size(); ++p) {
      const Reading reading = repetitions[p].once(probes[p], levels, buffer);
      if (reading.nanoseconds > 0) best[p] = std::max(best[p], reading.units / reading.nanoseconds);
    }
  }
}

std::vector<report::VectorCeilings> widths_of(std::span<const Probe> probes, std::span<const Level> levels,
                                              std::span<const double> best) {
  std::vector<report::VectorCeilings> widths;
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const Probe& probe = probes[p];
    if (widths.empty() || widths.back().vectors != probe.kernels->name) {
      report::VectorCeilings& width = widths.emplace_back();
      width.vectors = probe.kernels->name;
      width.bits = probe.kernels->bits;
      for (const Level& level : levels) {
        width.levels.push_back({level.name, level.capacity_bytes, level.span_bytes, 0, 0, 0});
      }
    }
    store_arithmetic(probe, best[p], widths.back());
    if (!levels.empty()) store_memory(probe, best[p], widths.back().levels[probe.level]);
  }
  return widths;
}

namespace {

// Exit statuses of the child.
constexpr int kDone = 0;
constexpr int kNoMemory = 1;
constexpr int kNotPlaced = 2;

// A child that is slow is on a busy machine; one that takes this long hangs.
constexpr double kPatienceSeconds = 30;

void die_with_parent(pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kDone);  // it died before the signal was asked for
  // First in line for the out-of-memory killer, as workers are.
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!write(file, "1000", 4));
  close(file);
}

bool move_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Memory with all its pages in place, in large ones where the system gives them; nullptr where there is not enough.
std::byte* make_buffer(std::int64_t bytes) {
  void* memory =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish
  constexpr int kPositiveFloat = 0x3f;                              // in every byte: 0.75, no denormal
  std::memset(memory, kPositiveFloat, static_cast<std::size_t>(bytes));
  return static_cast<std::byte*>(memory);
}

int measure_here(const CeilingOptions& options, const std::vector<Level>& levels, const std::vector<Probe>& probes,
                 std::span<double> best) {
  const auto start = Clock::now();
  if (!move_to(options.processor)) return kNotPlaced;
  std::int64_t longest = 0;
  for (const Level& level : levels) longest = std::max(longest, level.span_bytes);
  std::byte* buffer = make_buffer(longest);
  if (buffer == nullptr) return kNoMemory;
  const double used = std::chrono::duration<double>(Clock::now() - start).count();
  run_probes(probes, levels, options.seconds - used, buffer, best);
  return kDone;
}

// Waits for the child and takes it away; a child that hangs or is no longer wanted is killed.
Status wait_for(pid_t child, const CeilingOptions& options) {
  constexpr timespec kPause = {0, 2'000'000};
  const auto start = Clock::now();
  int status = 0;
  const char* why = nullptr;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (options.cancelled != nullptr && options.cancelled()) why = "interrupted";
    if (waited > options.seconds + kPatienceSeconds) why = "no answer";
    if (why != nullptr) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return failure(std::string("ceilings: ") + why);
    }
    nanosleep(&kPause, nullptr);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) return {};
  if (WIFSIGNALED(status))
    return failure("ceilings: the measuring process died by signal " + std::to_string(WTERMSIG(status)));
  return failure(WEXITSTATUS(status) == kNotPlaced
                     ? "ceilings: processor " + std::to_string(options.processor) + " cannot be used"
                     : "ceilings: not enough memory");
}

}  // namespace

CacheSizes cache_sizes(const std::string& environment) {
  const Json found = Json::parse(environment);
  CacheSizes sizes;
  const Json::json_pointer place("/cpu/caches");
  if (!found.contains(place) || !found[place].is_array()) return sizes;
  for (const Json& cache : found[place]) {
    if (!cache.is_object() || cache.value("type", Json()) == "Instruction") continue;
    const Json level = cache.value("level", Json());
    const Json bytes = cache.value("bytes", Json());
    if (!level.is_number_integer() || !bytes.is_number_integer() || bytes.get<std::int64_t>() <= 0) continue;
    std::int64_t* const targets[] = {&sizes.l1, &sizes.l2, &sizes.l3};
    const auto number = level.get<std::int64_t>();
    if (number >= 1 && number <= 3) *targets[number - 1] = bytes.get<std::int64_t>();
  }
  return sizes;
}

Result<report::CeilingsMeasurement> measure_ceilings(const CeilingOptions& options) {
  if (options.processor < 0 || options.processor >= CPU_SETSIZE) {
    return failure("ceilings: processor " + std::to_string(options.processor) + " cannot be used");
  }
  const auto start = Clock::now();
  const std::vector<Level> levels = levels_of(options.caches, options.memory_bytes);
  const std::vector<Probe> probes = probes_of(levels);
  SharedMemory shared = TRY(SharedMemory::create("ceilings", probes.size() * sizeof(double)));
  const std::span<double> best(reinterpret_cast<double*>(shared.data()), probes.size());
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return failure(std::string("ceilings: no process could be started: ") + std::strerror(errno));
  if (child == 0) {
    die_with_parent(parent);
    _exit(measure_here(options, levels, probes, best));
  }
  TRY(wait_for(child, options));
  report::CeilingsMeasurement measurement;
  measurement.widths = widths_of(probes, levels, best);
  measurement.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return measurement;
}

}  // namespace gdbench::machine
