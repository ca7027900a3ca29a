// Attacks on other workers, and work that is put where it is not measured.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "attacks.h"

namespace gdbench::tests {

// Has a process below it that could work for it: once a problem is prepared, none can be started.
void start_child(gdbench_instance& /*self*/) {
  if (fork() != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

// The child is orphaned, so that no worker waits for it: it spins while others are timed.
void start_orphan(gdbench_instance& /*self*/) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      for (const double end_ns = now_ns() + 3e9; now_ns() < end_ns;) {
      }
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

// Starts a process in a block.
gdbench_status run_with_child(gdbench_instance& self, std::uint64_t steps) {
  if (self.child == 0) self.child = fork();
  if (self.child == 0) _exit(0);
  say("child", self.child);
  return honest_run(self, steps);
}

// Of a process: field 4 of proc_pid_stat(5).
static pid_t parent_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text);
  pid_t parent = 0;
  char state = 0;
  std::istringstream(text.substr(text.rfind(')') + 1)) >> state >> parent;
  return parent;
}

// The other workers of the run.
void for_each_sibling(const std::function<void(pid_t)>& act) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    const pid_t pid = std::atoi(name.c_str());
    if (pid > 1 && pid != getpid() && parent_of(name) == getppid()) act(pid);
  }
}

// Kills all other workers of its run.
gdbench_status run_killing(gdbench_instance& self, std::uint64_t steps) {
  if (self.requests == 20) {
    for_each_sibling([](pid_t pid) { kill(pid, SIGKILL); });
  }
  return honest_run(self, steps);
}

// Changes the data that all workers share, if it can.
gdbench_status run_spoiling_data(gdbench_instance& self, std::uint64_t steps) {
  if (self.requests == 20) {
    for (int descriptor = 3; descriptor < 16; ++descriptor) {
      struct stat information {};
      if (fstat(descriptor, &information) != 0 || information.st_size == 0) continue;
      const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
      const int again = open(path.c_str(), O_RDWR);
      void* const memory = again < 0 ? MAP_FAILED
                                     : mmap(nullptr, static_cast<std::size_t>(information.st_size),
                                            PROT_READ | PROT_WRITE, MAP_SHARED, again, 0);
      if (memory == MAP_FAILED || descriptor != 5) continue;
      std::memset(memory, 0x3e, static_cast<std::size_t>(information.st_size));
    }
  }
  return honest_run(self, steps);
}

namespace {
constexpr Attack kRows[] = {
    {.id = "attack/child", .run = honest_run, .prepare = start_child},
    {.id = "attack/orphan", .run = honest_run, .prepare = start_orphan},
    {"attack/starts-process", run_with_child},
    {"attack/kill", run_killing},
    {"attack/data", run_spoiling_data},
    {.id = "attack/helper", .run = honest_run, .prepare = start_orphan, .change = declare_helper},
};
}  // namespace
const std::span<const Attack> kOnOthers(kRows);

}  // namespace gdbench::tests
