#include "harness/machine/probe_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "harness/base/text.h"

namespace gdbench::machine {

void become_probe(pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kProbed);  // it died before the signal was asked for
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!write(file, "1000", 4));
  close(file);
}

std::byte* make_probe_buffer(std::int64_t bytes) {
  void* memory =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish
  constexpr int kPositiveFloat = 0x3f;                              // in every byte: 0.75, no denormal
  std::memset(memory, kPositiveFloat, static_cast<std::size_t>(bytes));
  return static_cast<std::byte*>(memory);
}

std::string not_placed(const std::vector<int>& processors) {
  std::vector<std::string> numbers;
  for (const int processor : processors) numbers.push_back(std::to_string(processor));
  return cat("ceilings: ", numbers.size() == 1 ? "processor " : "processors ", joined(numbers), " cannot be used");
}

std::string reason_of_end(int wait_status, const std::vector<int>& processors) {
  if (WIFSIGNALED(wait_status))
    return "ceilings: the measuring process died by signal " + std::to_string(WTERMSIG(wait_status));
  return WEXITSTATUS(wait_status) == kNotPlaced ? not_placed(processors) : "ceilings: not enough memory";
}

}  // namespace gdbench::machine
