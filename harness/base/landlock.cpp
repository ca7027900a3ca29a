#include "harness/base/landlock.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace gdbench {

int landlock_version() {
  constexpr unsigned kAskVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

}  // namespace gdbench
