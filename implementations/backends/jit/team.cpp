#include "implementations/backends/jit/team.h"

#include <sched.h>

#include <mutex>
#include <utility>

#include "harness/abi/processor.h"

namespace gdbench::backends::jit {
namespace {

// A thread that can't be bound runs where it may.
void bind_calling_thread(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  static_cast<void>(sched_setaffinity(0, sizeof(one), &one));
}

// Until `value` is no longer `old`. A thread that waits long lets others run.
void spin_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kSpins = 1 << 12;  // some tens of microseconds
  for (int i = 0; value.load(std::memory_order_acquire) == old; ++i) {
    processor::pause();
    if (i >= kSpins) sched_yield();
  }
}

}  // namespace

void Barrier::meet() {
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
  } else {
    spin_while(round_, round);
  }
}

Team::Team(int threads, std::vector<int> processors) : processors_(std::move(processors)), barrier_(threads) {
  for (int thread = 1; thread < threads; ++thread) {
    others_.emplace_back([this, thread] { serve(thread); });
  }
}

Team::~Team() {
  work_ = nullptr;
  rounds_.fetch_add(1, std::memory_order_release);
  rounds_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::run(Work work, const void* data) {
  work_ = work;
  data_ = data;
  working_.store(static_cast<std::uint32_t>(others_.size()), std::memory_order_relaxed);
  rounds_.fetch_add(1, std::memory_order_release);
  rounds_.notify_all();
  work(data, 0);
  for (std::uint32_t left = working_.load(std::memory_order_acquire); left != 0;
       left = working_.load(std::memory_order_acquire)) {
    spin_while(working_, left);
  }
}

void Team::serve(int thread) {
  const auto index = static_cast<std::size_t>(thread);
  if (index < processors_.size()) bind_calling_thread(processors_[index]);
  for (std::uint32_t done = 0;; ++done) {
    rounds_.wait(done, std::memory_order_acquire);
    if (work_ == nullptr) return;
    work_(data_, thread);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

std::shared_ptr<Team> team_of(int threads, const std::vector<int>& processors) {
  static std::mutex mutex;
  static std::weak_ptr<Team> last;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Team> team = last.lock();
  if (team == nullptr || team->size() != threads || team->processors() != processors) {
    team = std::make_shared<Team>(threads, processors);
    last = team;
  }
  return team;
}

}  // namespace gdbench::backends::jit
