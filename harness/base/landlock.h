// Rules of the kernel for what a process may do to others (Linux; landlock(7)).
#pragma once

namespace gdbench {

// The version of Landlock's interface that this kernel has: 0 for none; files from 1 on (Linux 5.13), TCP from 4 on
// (6.7), signals and abstract sockets from 6 on (6.12).
int landlock_version();

}  // namespace gdbench
