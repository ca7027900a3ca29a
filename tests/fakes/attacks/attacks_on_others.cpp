// Attacks on other workers and the program itself, and work that is put where nobody looks.
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "attacks.h"

namespace gdbench::tests {

namespace {

// Has a process below it that could work for it: once a problem is prepared, none can be started.
void start_child(gdbench_instance& /*self*/) {
  if (fork() != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

// The child is given away, so that it is nobody's: it spins while others are timed.
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
  return honest_run(self, steps);
}

// Of a process: field 4 of proc_pid_stat(5).
pid_t parent_of(const std::string& pid) {
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

void pin(pid_t pid) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<unsigned>(sched_getcpu()) ^ 1U, &own);
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    tried(sched_setaffinity(std::atoi(task.path().filename().c_str()), sizeof own, &own));
  }
}

void starve(pid_t pid) {
  const sched_param parameters{};
  tried(setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19));
  tried(sched_setscheduler(pid, SCHED_IDLE, &parameters));
}

template <__rlimit_resource... resources>
void limit(pid_t pid) {
  const rlimit one{1, 1};
  (tried(prlimit(pid, resources, &one, nullptr)), ...);
}

void halt(pid_t pid) {
  tried(kill(pid, SIGSTOP));
  usleep(1000);
  tried(kill(pid, SIGCONT));
}

// Tries every memory that can be written from outside; the program's own text is enough to see.
void scribble(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find("[stack]") == std::string::npos) continue;
    char* const at = reinterpret_cast<char*>(std::strtoull(line.c_str(), nullptr, 16));
    const std::uint64_t zero = 0;
    iovec from{const_cast<std::uint64_t*>(&zero), sizeof zero};
    iovec to{at, sizeof zero};
    tried(process_vm_writev(pid, &from, 1, &to, 1, 0));
  }
  const int memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR);
  tried(memory);
  if (memory >= 0) close(memory);
  const long seized = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr);
  tried(seized);
  if (seized == 0) ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
}

// Outside the clock, twice: one block is made again.
template <void (*act)(pid_t)>
gdbench_status set_upon_siblings(gdbench_instance& self) {
  if (self.requests == 3 || self.requests == 9) for_each_sibling(act);
  return GDBENCH_OK;
}

template <void (*act)(pid_t)>
gdbench_status set_upon_parent(gdbench_instance& self) {
  if (self.requests == 3) act(getppid());
  return GDBENCH_OK;
}

// A segment, a queue and a file in memory that outlive everybody.
void use_segments() {
  tried(shmget(0x6d62a7, 1 << 20, IPC_CREAT | 0600));
  tried(mq_open("/gdbench-attack", O_CREAT | O_RDWR, 0600, nullptr));
  tried(shm_open("/gdbench-attack", O_CREAT | O_RDWR, 0600));
}

// Memory that is mapped nowhere.
void hoard() {
  const int memory = memfd_create("hoard", MFD_CLOEXEC);
  const std::string piece(1 << 20, 'x');
  long written = 0;
  while (written < 700L << 20) {
    const ssize_t now = write(memory, piece.data(), piece.size());
    if (now <= 0) break;
    written += now;
  }
}

constexpr Attack kRows[] = {
    {.id = "attack/child", .run = honest_run, .prepare = start_child},
    {.id = "attack/orphan", .run = honest_run, .prepare = start_orphan},
    {"attack/starts-process", run_with_child},
    {"attack/kill", run_killing},
    {"attack/data", run_spoiling_data},
    {.id = "attack/helper", .run = honest_run, .prepare = start_orphan, .change = declare_helper},
    {"attack/pins-siblings", honest_run, set_upon_siblings<pin>},
    {"attack/starves-siblings", honest_run, set_upon_siblings<starve>},
    {"attack/limits-siblings", honest_run, set_upon_siblings<limit<RLIMIT_AS, RLIMIT_DATA>>},
    {"attack/halts-siblings", honest_run, set_upon_siblings<halt>},
    {"attack/scribbles-siblings", honest_run, set_upon_siblings<scribble>},
    {"attack/starves-parent", honest_run, set_upon_parent<starve>},
    {"attack/limits-parents-files", honest_run, set_upon_parent<limit<RLIMIT_NOFILE>>},
    {"attack/limits-parents-memory", honest_run, set_upon_parent<limit<RLIMIT_AS, RLIMIT_DATA>>},
    {"attack/halts-parent", honest_run, set_upon_parent<halt>},
    {"attack/uses-segments", honest_run, act_once<use_segments>},
    {"attack/hoards", honest_run, act_once<hoard>},
};
}  // namespace
const std::span<const Attack> kOnOthers(kRows);

}  // namespace gdbench::tests
