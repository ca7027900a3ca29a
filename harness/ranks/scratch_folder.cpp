#include "harness/ranks/scratch_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/base/file.h"
#include "harness/base/text.h"

namespace gdbench::ranks {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "gdbench-ranks-";  // and its owner's process, and what mkdtemp adds

// Files in memory where there are some: segments are written in every step.
fs::path parent_folder() {
  const fs::path memory = "/dev/shm";
  if (access(memory.c_str(), W_OK) == 0) return memory;
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  return none ? fs::path("/tmp") : temporary;
}

// Of a folder that a process made which is gone, and which was one of this user's.
bool is_left_behind(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view rest = std::string_view(name).substr(kPrefix.size());
  struct stat information {};
  return is_gone_process(rest.substr(0, rest.find('-'))) && lstat(entry.path().c_str(), &information) == 0 &&
         S_ISDIR(information.st_mode) && information.st_uid == geteuid();
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  const fs::path parent = parent_folder();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (is_left_behind(entry)) fs::remove_all(entry.path(), ignored);
  }
  // With less, two ranks of Open MPI or MPICH die of a bus error, or wait for each other without end.
  constexpr std::uintmax_t kLeastBytes = 8 << 20;
  std::error_code untold;
  const fs::space_info space = fs::space(parent, untold);
  if (!untold && space.available < kLeastBytes) {
    return failure(cat(parent.string(), ": found ", space.available >> 10, " KiB free, expected at least ",
                       kLeastBytes >> 20, " MiB for what ranks share"));
  }
  std::string name = (parent / cat(kPrefix, getpid(), "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) return failure(cat("cannot make a folder ", name, ": ", std::strerror(errno)));
  ScratchFolder folder;
  folder.path_ = name;
  return folder;
}

void ScratchFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  path_.clear();
}

}  // namespace gdbench::ranks
