// A helper thread that makes batches ahead, into a ring of buffers.
//
// The thread works only between start() and the last batch of that start; otherwise it sleeps, so that an instance that
// is not running uses no processor. While it runs, a side that has to wait for the other looks for a few microseconds
// before it sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "implementations/loader/batch_maker.h"

namespace gdbench::loader {

class Prefetcher {
 public:
  struct Slot {
    std::byte* x = nullptr;
    std::byte* targets = nullptr;
  };

  // `maker` is the thread's between start and the end of what was started. One of the slots holds the batch in use, the
  // others are filled ahead. Throws Failure where the thread cannot be pinned to one of `cores`.
  Prefetcher(BatchMaker& maker, std::vector<Slot> slots, const std::vector<int>& cores);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // From here on batches of the steps first ... first + count - 1 are wanted; what is left of earlier ones is dropped.
  void start(std::int64_t first, std::uint64_t count);
  // Batch after batch of what was started; valid until the next call. Throws what making it threw.
  const Slot& next();

 private:
  void work();
  void make_all();
  std::thread start_thread_on(const std::vector<int>& cores);
  void stop_making();

  BatchMaker& maker_;
  std::vector<Slot> slots_;
  std::uint32_t few_ready_;  // at so many ready batches, that which is asked for among them, the thread is woken
  // Written by start() while the thread sleeps.
  std::int64_t first_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t taken_by_us_ = 0;
  std::exception_ptr error_;  // of the batch after the last one made
  // Counts of batches since start(), modulo 2^32: differences are at most the number of slots. On lines of their own.
  alignas(64) std::atomic<std::uint32_t> made_{0};
  alignas(64) std::atomic<std::uint32_t> released_{0};
  alignas(64) std::atomic<std::uint32_t> started_{0};  // times that start() was called
  std::atomic<std::uint32_t> finished_{0};             // the start that the thread is done with
  std::atomic<bool> failed_{false};
  std::atomic<bool> dropped_{false};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace gdbench::loader
