#include "implementations/kernels/jit/team.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>

#include <mutex>

namespace gdbench::kernels::jit {
namespace {

// Those that the calling thread may run on.
std::vector<int> own_processors() {
  std::vector<int> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) processors.push_back(i);
  }
  return processors;
}

// A thread that can't be bound runs where it may.
void bind_calling_thread(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof(one), &one));
}

constexpr int kAnywhere = -1;

// Until `value` is no longer `old`. Whoever waits long lets others run.
void spin_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kSpins = 1 << 12;  // some tens of microseconds
  for (int i = 0; value.load(std::memory_order_acquire) == old; ++i) {
    _mm_pause();
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

Team::Team(int threads) : barrier_(threads) {
  const std::vector<int> processors = own_processors();
  const bool enough = processors.size() >= static_cast<std::size_t>(threads);
  const auto processor = [&](int thread) { return enough ? processors[static_cast<std::size_t>(thread)] : kAnywhere; };
  for (int thread = 1; thread < threads; ++thread) {
    others_.emplace_back([this, thread, own = processor(thread)] { serve(thread, own); });
  }
  if (enough) bind_calling_thread(processor(0));
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

void Team::serve(int thread, int processor) {
  if (processor != kAnywhere) bind_calling_thread(processor);
  for (std::uint32_t done = 0;; ++done) {
    rounds_.wait(done, std::memory_order_acquire);
    if (work_ == nullptr) return;
    work_(data_, thread);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

std::shared_ptr<Team> team_of(int threads) {
  static std::mutex mutex;
  static std::weak_ptr<Team> last;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Team> team = last.lock();
  if (team == nullptr || team->size() != threads) {
    team = std::make_shared<Team>(threads);
    last = team;
  }
  return team;
}

}  // namespace gdbench::kernels::jit
