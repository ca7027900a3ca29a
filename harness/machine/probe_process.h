// What processes that measure ceilings have in common.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gdbench::machine {

// Exit statuses.
constexpr int kProbed = 0;
constexpr int kNoMemory = 1;
constexpr int kNotPlaced = 2;

// One that is slow is on a busy machine; one that takes so much longer than it was given hangs.
constexpr double kPatienceSeconds = 30;

// To be called first in the process. It ends with its parent, and is first in line for the out-of-memory killer, as
// workers are.
void become_probe(pid_t parent);

// Memory with all its pages in place, in large ones where the system gives them; null where there is not enough.
std::byte* make_probe_buffer(std::int64_t bytes);

// One line on a process that ended with such a wait status, other than kProbed.
std::string reason_of_end(int wait_status, const std::vector<int>& processors);
std::string not_placed(const std::vector<int>& processors);

}  // namespace gdbench::machine
