// A folder in memory for what implementations of MPI put into files: their shared segments, their sockets.
#pragma once

#include <filesystem>
#include <utility>

#include "harness/base/result.h"

namespace gdbench::ranks {

// Goes with its owner. What a process that was killed has left behind is removed when the next one is made.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ~ScratchFolder() { remove(); }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }

  // Errors: it cannot be made; there is no room for what ranks share.
  static Result<ScratchFolder> make();

  const std::filesystem::path& path() const { return path_; }

 private:
  void remove();

  std::filesystem::path path_;  // empty: none
};

}  // namespace gdbench::ranks
