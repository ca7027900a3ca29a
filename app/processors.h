// Which processors this process may use, and which of them it measures on.
#pragma once

#include <vector>

namespace gdbench::app {

// In order.
std::vector<int> allowed_processors();

// The same, in the order in which compute threads take them from the end: the last one is the last allowed one that no
// other gdbench on this machine measures on, as far as the kernel lets this one see; it is ours from now on, until the
// process ends. Without a free one as if nobody else were there.
std::vector<int> measuring_processors();

// Leaves the one that it measures on to the workers, where there is another one.
void keep_off_compute_processor();

}  // namespace gdbench::app
