// Internal to verify: work in independent parts, done on every processor that the program was given.
#pragma once

#include <cstddef>
#include <functional>

namespace gdbench::verify {

// The processors that this process was allowed when it began. Whoever measures keeps the coordinator off one of them;
// while the reference computes nothing is measured, and that one is used too.
std::size_t processor_count();

// Calls work(0) ... work(parts - 1), each once, on at most `threads` threads, of which the calling one is the first;
// returns when all are done. Which thread does which part is open: the parts must not depend on each other. The
// threads end with the call, so that none is left beside what is timed later.
void for_each_part(std::size_t parts, std::size_t threads, const std::function<void(std::size_t part)>& work);

}  // namespace gdbench::verify
