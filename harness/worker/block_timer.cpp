#include "harness/worker/block_timer.h"

#include <benchmark/benchmark.h>
#include <dirent.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace gdbench::worker {

namespace {

double read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// As the C library makes it in pthread_getcpuclockid, which wants a thread's handle; Linux, posix-timers.h.
clockid_t clock_of_thread(int thread) { return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | 6U); }

// What the one registered benchmark runs now. Google Benchmark hands its function no argument of ours.
struct CurrentBlock {
  const std::function<void()>* block = nullptr;
  BlockTime time;
};
CurrentBlock current;

// Keeps the one run's times instead of printing them.
class CapturingReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      real_ns = run.real_accumulated_time * 1e9;
    }
  }
  double real_ns = 0;
};

void run_current_block(benchmark::State& state) {
  const double others_ns = other_threads_cpu_ns();
  const double own_ns = thread_cpu_ns();
  current.time.start_ns = monotonic_ns();
  for ([[maybe_unused]] auto iteration : state) (*current.block)();
  current.time.end_ns = monotonic_ns();
  current.time.cpu_ns = thread_cpu_ns() - own_ns;
  current.time.cpu_ns += other_threads_cpu_ns() - others_ns;
}

}  // namespace

double thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

double other_threads_cpu_ns() {
  if (DIR* const threads = opendir("/proc/self/task")) {
    while (const dirent* thread = readdir(threads)) {
      if (thread->d_name[0] != '.') static_cast<void>(read_clock(clock_of_thread(std::atoi(thread->d_name))));
    }
    closedir(threads);
  }
  const double all_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  return all_ns - thread_cpu_ns();
}

BlockTime time_block(const std::function<void()>& block) {
  static benchmark::internal::Benchmark* const registered =
      benchmark::RegisterBenchmark("block", &run_current_block)->Iterations(1)->UseRealTime();
  static_cast<void>(registered);
  current.block = &block;
  CapturingReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, "block");
  current.time.real_ns = reporter.real_ns;
  return current.time;
}

void add_work(std::uint64_t iterations) {
  double value = 1;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * 0.999 + 0.001;   // stays at 1: no denormals, no infinities
    asm volatile("" : "+x"(value));  // every iteration is made, in order
  }
}

}  // namespace gdbench::worker
