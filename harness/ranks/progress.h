// How far each rank is, in memory that all ranks and their worker share: it shows which one keeps the others waiting.
#pragma once

#include <atomic>
#include <cstdint>

namespace gdbench::ranks {

// A cache line for each rank.
struct alignas(64) Progress {
  std::atomic<std::uint64_t> entered{0};  // all-reduces
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace gdbench::ranks
