#include "harness/worker/cpu_clock.h"

#include <dirent.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace gdbench::worker {

namespace {

double read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// As the C library makes it in pthread_getcpuclockid, which wants a thread's handle; Linux, posix-timers.h.
clockid_t clock_of_thread(int thread) { return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | 6U); }

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

double thread_waiting_ns() {
  // "time on a processor, time waiting for one, time slices": Linux, sched-stats.
  std::FILE* const file = std::fopen("/proc/thread-self/schedstat", "r");
  if (file == nullptr) return 0;
  double waiting_ns = 0;
  if (std::fscanf(file, "%*f %lf", &waiting_ns) != 1) waiting_ns = 0;
  std::fclose(file);
  return waiting_ns;
}

}  // namespace gdbench::worker
