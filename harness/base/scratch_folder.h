// A temporary folder of this process.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "harness/base/result.h"

namespace gdbench {

// Is removed with its owner. What a process that was killed has left behind is removed when the next one is made.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ~ScratchFolder() { remove(); }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }

  // "PREFIX-PROCESS-XXXXXX" in the folder for temporary files. Errors: it cannot be made.
  static Result<ScratchFolder> make(const std::string& prefix);
  // The same in memory where there is such a folder, for what is written in every step: shared segments and sockets of
  // an MPI. Errors: there is no room for what ranks share, too.
  static Result<ScratchFolder> make_in_memory(const std::string& prefix);

  const std::filesystem::path& path() const { return path_; }

 private:
  static Result<ScratchFolder> make_in(const std::filesystem::path& parent, const std::string& prefix);
  void remove();

  std::filesystem::path path_;  // empty: none
};

}  // namespace gdbench
