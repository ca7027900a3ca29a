// Attacks on siblings and parents: other workers and the program itself.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "attacks.h"

namespace gdbench::tests {

namespace {

void pin(pid_t pid) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<unsigned>(sched_getcpu()) ^ 1U, &own);
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    say("pin", sched_setaffinity(std::atoi(task.path().filename().c_str()), sizeof own, &own));
  }
}

void starve(pid_t pid) {
  const sched_param parameters{};
  say("nice", setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19));
  say("idle", sched_setscheduler(pid, SCHED_IDLE, &parameters));
}

template <__rlimit_resource... resources>
void limit(pid_t pid) {
  const rlimit one{1, 1};
  (say("limit", prlimit(pid, resources, &one, nullptr)), ...);
}

void halt(pid_t pid) {
  say("stop", kill(pid, SIGSTOP));
  usleep(1000);
  say("continue", kill(pid, SIGCONT));
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
    say("write", process_vm_writev(pid, &from, 1, &to, 1, 0));
  }
  const int memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR);
  say("memory", memory);
  if (memory >= 0) close(memory);
  const long seized = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr);
  say("trace", seized);
  if (seized == 0) ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
}

// Writes answers into the pipes of others, and states into their memory.
void intrude(pid_t pid) {
  for (int descriptor = 0; descriptor < 64; ++descriptor) {
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
    const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    say(path.c_str(), file);
    struct stat information {};
    fstat(file, &information);
    if (S_ISFIFO(information.st_mode)) say("  pipe", write(file, "{\"id\":9,\"ok\":true}\n", 19));
    if (S_ISREG(information.st_mode) && pid != getppid()) say("  regular", ftruncate(file, 0));
    close(file);
  }
}

void expose(pid_t pid) {
  std::ofstream file("/proc/" + std::to_string(pid) + "/oom_score_adj");
  file << 1000 << std::flush;
  say("out of memory", file.good() ? 0 : -1);
  std::ofstream slack("/proc/" + std::to_string(pid) + "/timerslack_ns");
  slack << 500000000 << std::flush;
  say("slack", slack.good() ? 0 : -1);
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

}  // namespace

namespace {
constexpr Attack kRows[] = {
    {"attack/pins-siblings", honest_run, set_upon_siblings<pin>},
    {"attack/starves-siblings", honest_run, set_upon_siblings<starve>},
    {"attack/limits-siblings", honest_run, set_upon_siblings<limit<RLIMIT_AS, RLIMIT_DATA>>},
    {"attack/limits-time", honest_run, set_upon_siblings<limit<RLIMIT_CPU>>},
    {"attack/halts-siblings", honest_run, set_upon_siblings<halt>},
    {"attack/scribbles-siblings", honest_run, set_upon_siblings<scribble>},
    {"attack/intrudes-siblings", honest_run, set_upon_siblings<intrude>},
    {"attack/exposes-siblings", honest_run, set_upon_siblings<expose>},
    {"attack/pins-parent", honest_run, set_upon_parent<pin>},
    {"attack/starves-parent", honest_run, set_upon_parent<starve>},
    {"attack/limits-parent", honest_run, set_upon_parent<limit<RLIMIT_FSIZE>>},
    {"attack/limits-parents-files", honest_run, set_upon_parent<limit<RLIMIT_NOFILE>>},
    {"attack/limits-parents-memory", honest_run, set_upon_parent<limit<RLIMIT_AS, RLIMIT_DATA>>},
    {"attack/halts-parent", honest_run, set_upon_parent<halt>},
    {"attack/scribbles-parent", honest_run, set_upon_parent<scribble>},
    {"attack/intrudes-parent", honest_run, set_upon_parent<intrude>},
};
}  // namespace
const std::span<const Attack> kOnProcesses(kRows);

}  // namespace gdbench::tests
