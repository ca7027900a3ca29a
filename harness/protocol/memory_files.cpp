#include "harness/protocol/memory_files.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <filesystem>
#include <system_error>

#include "harness/base/text.h"

namespace gdbench::protocol {

std::int64_t memory_file_bytes(pid_t pid, std::set<FileIdentity>& known) {
  constexpr std::int64_t kUnit = 512;  // of st_blocks
  std::int64_t bytes = 0;
  std::error_code ended;
  for (const auto& descriptor : std::filesystem::directory_iterator(cat("/proc/", pid, "/fd"), ended)) {
    struct stat file {};
    struct statfs system {};
    const char* const path = descriptor.path().c_str();
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || statfs(path, &system) != 0) continue;
    if (system.f_type == TMPFS_MAGIC && known.insert(identity_of(file)).second) bytes += file.st_blocks * kUnit;
  }
  return bytes;
}

}  // namespace gdbench::protocol
