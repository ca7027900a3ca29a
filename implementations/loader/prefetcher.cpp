#include "implementations/loader/prefetcher.h"

#include <sched.h>

#include <algorithm>
#include <string>

#include "harness/abi/processor.h"
#include "implementations/common/failure.h"

namespace gdbench::loader {
namespace {

// How often a side looks before it sleeps. The step: a few microseconds, for it waits where the helper is late. The
// helper: about a millisecond, longer than most steps, for to be woken costs the step tens of microseconds in a virtual
// machine; its processor is its own, and between runs it sleeps at once.
constexpr int kLooksOfStep = 100;
constexpr int kLooksOfHelper = 20'000;

// Returns once `counter` differs from `value`.
void wait_while(const std::atomic<std::uint32_t>& counter, std::uint32_t value, int looks) {
  for (int look = 0; look < looks; ++look) {
    if (counter.load(std::memory_order_acquire) != value) return;
    processor::pause();
  }
  counter.wait(value, std::memory_order_acquire);
}

}  // namespace

Prefetcher::Prefetcher(BatchMaker& maker, std::vector<Slot> slots, const std::vector<int>& cores)
    : maker_(maker),
      slots_(std::move(slots)),
      few_ready_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(slots_.size() - 1) / 2)),
      thread_(start_thread_on(cores)) {}

Prefetcher::~Prefetcher() {
  if (thread_.joinable()) stop_making();
}

// A thread stays on the processors of the one that makes it.
std::thread Prefetcher::start_thread_on(const std::vector<int>& cores) {
  cpu_set_t own;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  if (sched_getaffinity(0, sizeof own, &own) != 0 || sched_setaffinity(0, sizeof set, &set) != 0) {
    throw implementations::Failure(GDBENCH_FAILED, "the helper thread cannot be pinned to processor " +
                                                       std::to_string(cores.empty() ? -1 : cores.front()));
  }
  std::thread thread([this] { work(); });
  sched_setaffinity(0, sizeof own, &own);
  return thread;
}

void Prefetcher::stop_making() {
  ending_.store(true, std::memory_order_relaxed);
  start(0, 0);
  thread_.join();
}

void Prefetcher::start(std::int64_t first, std::uint64_t count) {
  const std::uint32_t earlier = started_.load(std::memory_order_relaxed);
  if (finished_.load(std::memory_order_acquire) != earlier) {
    dropped_.store(true, std::memory_order_relaxed);
    released_.fetch_add(1, std::memory_order_release);
    released_.notify_one();
    finished_.wait(earlier - 1, std::memory_order_acquire);
  }
  first_ = first;
  count_ = count;
  taken_by_us_ = 0;
  error_ = nullptr;
  made_.store(0, std::memory_order_relaxed);
  released_.store(0, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  dropped_.store(false, std::memory_order_relaxed);
  started_.store(earlier + 1, std::memory_order_release);
  started_.notify_one();
}

const Prefetcher::Slot& Prefetcher::next() {
  const auto number = static_cast<std::uint32_t>(taken_by_us_);
  if (number != 0) {  // the batch before it is used up
    released_.store(number, std::memory_order_release);
    // Waking a thread costs this one microseconds: only when the batches that are ready run low.
    if (made_.load(std::memory_order_relaxed) - number <= few_ready_) released_.notify_one();
  }
  const Slot& slot = slots_[taken_by_us_++ % slots_.size()];
  while (made_.load(std::memory_order_acquire) == number) wait_while(made_, number, kLooksOfStep);
  // A failed batch is counted as made; nothing follows it.
  if (failed_.load(std::memory_order_relaxed) && made_.load(std::memory_order_relaxed) == number + 1) {
    std::rethrow_exception(error_);
  }
  return slot;
}

void Prefetcher::work() {
  for (std::uint32_t seen = 0;;) {
    started_.wait(seen, std::memory_order_acquire);
    seen = started_.load(std::memory_order_acquire);
    make_all();
    finished_.store(seen, std::memory_order_release);
    finished_.notify_one();
    if (ending_.load(std::memory_order_relaxed)) return;
  }
}

void Prefetcher::make_all() {
  const auto ring = static_cast<std::uint32_t>(slots_.size());
  for (std::uint64_t i = 0; i < count_; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    std::uint32_t released = released_.load(std::memory_order_acquire);
    while (number - released >= ring && !dropped_.load(std::memory_order_relaxed)) {
      wait_while(released_, released, kLooksOfHelper);
      released = released_.load(std::memory_order_acquire);
    }
    if (dropped_.load(std::memory_order_relaxed)) return;
    const Slot& slot = slots_[i % slots_.size()];
    try {
      maker_.make(first_ + static_cast<std::int64_t>(i), slot.x, slot.targets);
    } catch (...) {
      error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
    made_.store(number + 1, std::memory_order_release);
    made_.notify_one();
    if (failed_.load(std::memory_order_relaxed)) return;
  }
}

}  // namespace gdbench::loader
