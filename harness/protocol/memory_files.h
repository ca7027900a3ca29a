// Files that lie in memory (memfd_create, tmpfs): what is in them shows in no resident size until it is mapped.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>

namespace gdbench::protocol {

using FileIdentity = std::pair<dev_t, ino_t>;

inline FileIdentity identity_of(const struct stat& file) { return {file.st_dev, file.st_ino}; }

// Bytes in those that the process has open and that are not `known`, which it adds to them; 0 where that is unreadable.
std::int64_t memory_file_bytes(pid_t pid, std::set<FileIdentity>& known);

}  // namespace gdbench::protocol
