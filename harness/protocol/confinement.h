// What keeps a worker from others: Landlock's rules (Linux; landlock(7)) and a folder of its own for what it writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"
#include "harness/protocol/system_calls.h"

namespace gdbench::protocol {

// What a process may do beyond reading, executing, and writing in its own folder.
struct Permissions {
  bool network = false;                              // sockets, to bind and connect them by TCP, and segments
  std::vector<std::filesystem::path> writable = {};  // files, and folders with all below them; missing ones are ignored
};

class Confinement {
 public:
  // Rules for a process that writes in `folder` and to devices that every process uses, and signals only its own
  // processes, as far as the kernel has rules for it. Errors: the kernel has Landlock and refuses the rules.
  static Result<Confinement> make(const std::filesystem::path& folder, const Permissions& permissions);

  // From here on for the calling process, which has no_new_privs set, and all that it starts. Async-signal-safe, for
  // between fork and exec.
  void enter();

 private:
  explicit Confinement(bool network) : filter_(network) {}

  UniqueDescriptor rules_;  // none where the kernel has no Landlock
  SystemCallFilter filter_;
};

// A folder for the workers that `argv` starts, the same as long as this process lives, so that a compiler's cache that
// the first worker fills is there for the next. Errors: it cannot be made.
Result<std::filesystem::path> folder_of_workers(const std::vector<std::string>& argv);

// Variables "NAME=value" by which programs write there: HOME, TMPDIR and the places of caches. Packages of Python that
// the user installed for itself are still found.
std::vector<std::string> variables_of_folder(const std::filesystem::path& folder);

}  // namespace gdbench::protocol
