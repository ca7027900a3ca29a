// A worker process as the coordinator sees it: started with its descriptors, watched, ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"
#include "harness/protocol/confinement.h"
#include "harness/protocol/memory_files.h"
#include "harness/protocol/process_files.h"

namespace gdbench::protocol {

// Descriptors that the child gets at fixed numbers.
struct InheritedDescriptor {
  int ours = -1;
  int theirs = -1;
};

// How a process ended.
struct ProcessEnd {
  enum class Kind { not_started, exit_status, signal };
  Kind kind = Kind::not_started;
  int number = 0;  // the status or the signal

  bool is_success() const { return kind == Kind::exit_status && number == 0; }
  // "exit status 0", "signal 11 (Segmentation fault)".
  std::string text() const;
};

class Process {
 public:
  Process() = default;
  ~Process();  // kills what still runs
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  // Starts argv[0] (looked up on PATH) in a process group of its own. It dies with the calling thread's process, is
  // first in line for the out-of-memory killer, and its stdout and stderr go to a buffer that `output` reads.
  // It may use `processors` (empty: those that the coordinator uses). `preload` names a library that the dynamic linker
  // puts before all others. It can gain no privileges by what it executes. With `permissions` it is confined to them
  // and to the folder of such workers (confinement.h); processes that it leaves behind become its own children.
  static Result<Process> start(const std::vector<std::string>& argv, const std::vector<InheritedDescriptor>& inherited,
                               const std::vector<int>& processors, const std::string& preload = "",
                               const Permissions* permissions = nullptr);

  bool running() const { return pid_ > 0; }
  // Whether it has ended by itself; finish says how.
  bool has_ended() const;
  pid_t pid() const { return pid_; }

  // As the kernel says (process_files.h); zeros and nothing where it does not run.
  MemoryUse memory() const { return memory_of(pid_, given_, given_bytes_); }
  std::int64_t peak_resident_bytes() const { return peak_resident_bytes_of(pid_); }
  int threads() const { return threads_of(pid_); }
  std::int64_t cpu_ns() const { return cpu_ns_of(pid_); }
  std::optional<std::int64_t> page_faults() const { return page_faults_of(pid_); }
  Descendants descendants() const { return descendants_of(pid_); }
  // How long its first thread has been ready to run while others had its processor; 0 where the kernel does not say.
  double waiting_ns() const;
  // Bytes that it printed.
  std::int64_t output_bytes() const;
  // The end of what it printed, at most 2048 bytes, as they are.
  std::string output_tail() const;
  // The last line that it printed, at most 200 characters, and the file and line of a traceback that it ends; or empty.
  std::string last_output_line() const;

  // Waits up to `seconds` for the end, then kills the group.
  ProcessEnd finish(double seconds);
  void kill_group() const;

 private:
  void note_given(int descriptor);

  pid_t pid_ = -1;
  UniqueDescriptor output_;       // memfd
  std::set<FileIdentity> given_;  // what it did not make
  std::int64_t given_bytes_ = 0;  // of that in memory
};

}  // namespace gdbench::protocol
