// What the kernel says of any process in /proc (proc(5)), and the clock of its CPU time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "harness/protocol/memory_files.h"

namespace gdbench::protocol {

// Resident memory in bytes, by kind.
struct MemoryUse {
  std::int64_t anonymous = 0;  // a process's own: what is anonymous, or in files in memory that it made
  std::int64_t shared = 0;     // data and states, which it shares with the coordinator
};

// The processes below another one.
struct Descendants {
  int processes = 0;  // now
  // CPU time of theirs, and of ended ones; of those by the kernel's ticks, which are milliseconds.
  std::int64_t cpu_ns = 0;
};

// Children that its threads started, and those that came back to it.
std::vector<pid_t> children_of(pid_t pid);
Descendants descendants_of(pid_t pid);
// Its own and that of all processes below it; zeros where it cannot be read. `given`: the files in memory that it was
// given, and their bytes.
MemoryUse memory_of(pid_t pid, std::set<FileIdentity> given, std::int64_t given_bytes);
// These are 0 where they cannot be read.
std::int64_t peak_resident_bytes_of(pid_t pid);
int threads_of(pid_t pid);
// The CPU time of all threads so far, in nanoseconds.
std::int64_t cpu_ns_of(pid_t pid);
// Minor and major ones of all threads so far, without its children's; nothing where they cannot be read.
std::optional<std::int64_t> page_faults_of(pid_t pid);

}  // namespace gdbench::protocol
