// System calls by which a worker could harm others, and that no implementation needs: refused by a filter of the kernel
// (seccomp(2)), which knows numbers and arguments, and nothing of paths.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <vector>

namespace gdbench::protocol {

class SystemCallFilter {
 public:
  // `network`: sockets and segments of System V are left, which several ranks need.
  explicit SystemCallFilter(bool network);

  // From here on for the calling process and all that it starts, which have no_new_privs set. Async-signal-safe, for
  // between fork and exec. Does nothing where the kernel has no filters.
  void enter();

 private:
  void refuse(int call, int error);
  // Leaves the call where its argument names the calling thread (0) or process alone.
  void leave_to_itself(int call, unsigned argument);

  std::vector<sock_filter> program_;
  std::vector<std::size_t> own_process_;  // where its number has to be put in, once it is known
};

// From here on none of this process's threads starts a process, which nothing needs once a problem is prepared. Does
// nothing where the kernel has no filters, for a process without no_new_privs, and where the leak sanitizer starts one.
void refuse_new_processes();

}  // namespace gdbench::protocol
