#include "harness/protocol/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/scheduling.h"
#include "harness/base/system_error.h"
#include "harness/base/text.h"
#include "harness/protocol/memory_files.h"

namespace gdbench::protocol {

namespace {

// Copies of what a worker is to get, made before the fork: after it, a lack of descriptors could not be reported. They
// have high, free numbers: a source may have a number that another one is to get, and with many workers alive the
// coordinator's numbers are large.
struct WorkerDescriptors {
  UniqueDescriptor input;
  UniqueDescriptor output;
  UniqueDescriptor until_exec;  // one end of a pipe that exec closes
  std::vector<UniqueDescriptor> inherited;
};

Result<WorkerDescriptors> copies_for_worker(const std::vector<InheritedDescriptor>& inherited, int output,
                                            int until_exec) {
  constexpr int kOutOfTheWay = 16;
  WorkerDescriptors copies;
  copies.input = UniqueDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  copies.output = UniqueDescriptor(fcntl(output, F_DUPFD_CLOEXEC, kOutOfTheWay));
  copies.until_exec = UniqueDescriptor(fcntl(until_exec, F_DUPFD_CLOEXEC, kOutOfTheWay));
  bool complete = copies.input.is_open() && copies.output.is_open() && copies.until_exec.is_open();
  for (const InheritedDescriptor& descriptor : inherited) {
    copies.inherited.emplace_back(fcntl(descriptor.ours, F_DUPFD_CLOEXEC, kOutOfTheWay));
    complete = complete && copies.inherited.back().is_open();
  }
  if (!complete && errno == EINVAL) errno = EMFILE;  // the limit of numbers is below kOutOfTheWay
  if (!complete) return system_error("cannot copy descriptors for a worker");
  return copies;
}

// Everything between fork and exec: only async-signal-safe calls. Returns on failure only.
void become_worker(char* const* argv, char* const* environment, const std::vector<InheritedDescriptor>& inherited,
                   const WorkerDescriptors& copies, const std::vector<int>& processors, pid_t parent,
                   Confinement* confinement) {
  // Without a terminal, and Ctrl-C on that reaches the coordinator alone, which ends its workers in order.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return;  // the coordinator died before the signal was armed
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Survives exec: what the worker's children leave behind is found among its own.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    [[maybe_unused]] const ssize_t written = write(score, "1000", 4);
    close(score);
  }
  if (!processors.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  // dup2 clears close-on-exec, which everything else has.
  dup2(copies.input.number(), STDIN_FILENO);
  dup2(copies.output.number(), STDOUT_FILENO);
  dup2(copies.output.number(), STDERR_FILENO);
  for (std::size_t i = 0; i < inherited.size(); ++i) dup2(copies.inherited[i].number(), inherited[i].theirs);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (confinement != nullptr) confinement->enter();
  execvpe(argv[0], argv, environment);
}

// Returns once no process has the pipe's other end open.
void wait_for_end(int pipe) {
  char byte;
  while (read(pipe, &byte, 1) < 0 && errno == EINTR) continue;
}

// This process's environment with `changes` ("NAME=value") in it, and with `preload` (where there is one) before what
// is preloaded anyway.
std::vector<std::string> environment_with(std::vector<std::string> changes, const std::string& preload) {
  if (!preload.empty()) {
    const char* const others = std::getenv("LD_PRELOAD");
    changes.push_back(cat("LD_PRELOAD=", preload, others == nullptr ? "" : ":", others == nullptr ? "" : others));
  }
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool changed =
        std::ranges::any_of(changes, [&](const std::string& change) { return change.starts_with(name); });
    if (!changed) variables.emplace_back(text);
  }
  variables.insert(variables.end(), changes.begin(), changes.end());
  return variables;
}

// " (adapter.py, line 3)", from the innermost frame with a file of a Python traceback; empty without one.
std::string place_in_traceback(std::string_view output) {
  constexpr std::string_view kFrame = "\n  File \"";
  constexpr std::string_view kLine = "\", line ";
  for (std::size_t at = output.rfind(kFrame); at != output.npos;
       at = at == 0 ? output.npos : output.rfind(kFrame, at - 1)) {
    std::string_view frame = output.substr(at + kFrame.size());
    frame = frame.substr(0, frame.find('\n'));
    const std::size_t line = frame.find(kLine);
    if (line == frame.npos || frame.starts_with('<')) continue;  // <frozen importlib._bootstrap>
    const std::string_view path = frame.substr(0, line);
    const std::string_view number = frame.substr(line + kLine.size());
    return one_line(cat(" (", path.substr(path.rfind('/') + 1), ", line ", number.substr(0, number.find(',')), ")"));
  }
  return {};
}

// As exec wants them; `texts` must outlive them.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Children of this process, except those that workers have left behind: workers, and those that were there before.
std::set<pid_t> known_children;

// From here on what a worker leaves behind becomes a child of this process.
void adopt_orphans() {
  static bool adopts = false;
  if (std::exchange(adopts, true)) return;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const pid_t child : children_of(getpid())) known_children.insert(child);
}

// Ends them; what they start meanwhile is found in the next turn.
void end_orphans() {
  constexpr int kTurns = 100;
  for (int turn = 0; turn < kTurns; ++turn) {
    bool any = false;
    for (const pid_t child : children_of(getpid())) {
      if (known_children.contains(child)) continue;
      any = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    if (!any) return;
  }
}

}  // namespace

std::string ProcessEnd::text() const {
  if (kind == Kind::not_started) return "not started";
  if (kind == Kind::exit_status) return cat("exit status ", number);
  return cat("signal ", number, " (", strsignal(number), ")");
}

Process::~Process() {
  if (pid_ > 0) {
    kill_group();
    finish(0);
  }
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      given_(std::move(other.given_)),
      given_bytes_(other.given_bytes_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(output_, other.output_);
  std::swap(given_, other.given_);
  std::swap(given_bytes_, other.given_bytes_);
  return *this;
}

Result<Process> Process::start(const std::vector<std::string>& argv, const std::vector<InheritedDescriptor>& inherited,
                               const std::vector<int>& processors, const std::string& preload,
                               const Permissions* permissions) {
  Process process;
  process.output_ = UniqueDescriptor(memfd_create("worker-output", MFD_CLOEXEC));
  if (!process.output_.is_open()) return system_error("cannot create a worker's output buffer");
  fcntl(process.output_.number(), F_SETFL, O_APPEND);
  process.note_given(process.output_.number());
  for (const InheritedDescriptor& descriptor : inherited) process.note_given(descriptor.ours);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe for a worker");
  const UniqueDescriptor exec_seen(ends[0]);
  UniqueDescriptor until_exec(ends[1]);
  WorkerDescriptors copies = TRY(copies_for_worker(inherited, process.output_.number(), until_exec.number()));
  const std::vector<char*> arguments = pointers_to(argv);
  std::vector<std::string> changes;
  std::optional<Confinement> confinement;
  if (permissions != nullptr) {
    const std::filesystem::path folder = TRY(folder_of_workers(argv));
    confinement = TRY(Confinement::make(folder, *permissions));
    changes = variables_of_folder(folder);
  }
  const std::vector<std::string> variables = environment_with(std::move(changes), preload);
  const std::vector<char*> environment = pointers_to(variables);
  const pid_t parent = getpid();
  adopt_orphans();
  const pid_t pid = fork();
  if (pid < 0) return system_error("cannot start a worker");
  if (pid == 0) {
    become_worker(arguments.data(), environment.data(), inherited, copies, processors, parent,
                  confinement ? &*confinement : nullptr);
    dprintf(STDERR_FILENO, "cannot execute %s: %s\n", argv[0].c_str(), strerror(errno));
    _exit(127);
  }
  process.pid_ = pid;
  known_children.insert(pid);
  // Before exec the child has this process's memory, which must not count as the worker's.
  until_exec.reset();
  copies.until_exec.reset();
  wait_for_end(exec_seen.number());
  return process;
}

bool Process::has_ended() const {
  siginfo_t information{};
  return pid_ > 0 && waitid(P_PID, static_cast<id_t>(pid_), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == pid_;
}

void Process::note_given(int descriptor) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return;
  given_.insert(identity_of(file));
  if (S_ISREG(file.st_mode)) given_bytes_ += file.st_size;
}

double Process::waiting_ns() const { return running() ? gdbench::waiting_ns(cat("/proc/", pid_, "/schedstat")) : 0; }

std::int64_t Process::output_bytes() const {
  struct stat information {};
  return output_.is_open() && fstat(output_.number(), &information) == 0 ? information.st_size : 0;
}

std::string Process::output_tail() const {
  constexpr off_t kTail = 2048;
  const off_t size = output_bytes();
  std::string tail(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  const ssize_t count = pread(output_.number(), tail.data(), tail.size(), size - static_cast<off_t>(tail.size()));
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return tail;
}

std::string Process::last_output_line() const {
  std::string tail = output_tail();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.pop_back();
  const std::string place = place_in_traceback(tail);
  tail.erase(0, tail.rfind('\n') + 1);
  return one_line(tail.substr(0, 200)) + place;
}

void Process::kill_group() const {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // the group may not exist yet
}

ProcessEnd Process::finish(double seconds) {
  if (pid_ <= 0) return {};
  const pid_t own = pid_;
  // A descriptor that becomes readable at the child's end: waiting without polling, without reaping.
  // By number: glibc 2.36 declares pidfd_open without C linkage.
  const UniqueDescriptor watched(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd entry{watched.number(), POLLIN, 0};
  const bool ended = poll(&entry, 1, static_cast<int>(seconds * 1000)) > 0;
  if (!ended) kill(pid_, SIGKILL);
  // What the worker started itself goes with it; the group's number is ours until its leader is reaped.
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  known_children.erase(own);
  end_orphans();
  if (WIFEXITED(status)) return {ProcessEnd::Kind::exit_status, WEXITSTATUS(status)};
  return {ProcessEnd::Kind::signal, WTERMSIG(status)};
}

}  // namespace gdbench::protocol
