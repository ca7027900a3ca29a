#include "harness/base/scratch_folder.h"

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

namespace gdbench {

namespace {

namespace fs = std::filesystem;

fs::path temporary_folder() {
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  return none ? fs::path("/tmp") : temporary;
}

// Of a folder that a process made which is gone, and which was one of this user's.
bool is_left_behind(const fs::directory_entry& entry, const std::string& prefix) {
  const std::string name = entry.path().filename().string();
  if (!name.starts_with(prefix + "-")) return false;
  const std::string_view rest = std::string_view(name).substr(prefix.size() + 1);
  struct stat information {};
  return is_gone_process(rest.substr(0, rest.find('-'))) && lstat(entry.path().c_str(), &information) == 0 &&
         S_ISDIR(information.st_mode) && information.st_uid == geteuid();
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make_in(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (is_left_behind(entry, prefix)) fs::remove_all(entry.path(), ignored);
  }
  std::string name = (parent / cat(prefix, "-", getpid(), "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) return failure(cat("cannot make a folder ", name, ": ", std::strerror(errno)));
  ScratchFolder folder;
  folder.path_ = name;
  return folder;
}

Result<ScratchFolder> ScratchFolder::make(const std::string& prefix) { return make_in(temporary_folder(), prefix); }

Result<ScratchFolder> ScratchFolder::make_in_memory(const std::string& prefix) {
  const fs::path memory = "/dev/shm";
  const fs::path parent = access(memory.c_str(), W_OK) == 0 ? memory : temporary_folder();
  // With less, two ranks of Open MPI or MPICH die of a bus error, or wait for each other without end.
  constexpr std::uintmax_t kLeastBytes = 8 << 20;
  std::error_code unknown;
  const fs::space_info space = fs::space(parent, unknown);
  if (!unknown && space.available < kLeastBytes) {
    return failure(cat(parent.string(), ": found ", space.available >> 10, " KiB free, expected at least ",
                       kLeastBytes >> 20, " MiB for what ranks share"));
  }
  return make_in(parent, prefix);
}

void ScratchFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  path_.clear();
}

}  // namespace gdbench
