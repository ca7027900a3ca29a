// Threads that work side by side, each on a processor of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace gdbench::backends::jit {

// Where threads meet that have little to wait for: they spin.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(static_cast<std::uint32_t>(threads)) {}

  // Returns when all threads have called it.
  void meet();

 private:
  static constexpr std::size_t kLine = 64;
  std::uint32_t threads_;
  alignas(kLine) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(kLine) std::atomic<std::uint32_t> round_ = 0;
};

class Team {
 public:
  using Work = void (*)(const void* data, int thread);

  // At least two threads, of which the caller is number 0 and runs where it does. The others are bound to the
  // processors from number 1 on, as far as there are any.
  Team(int threads, std::vector<int> processors);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(others_.size()) + 1; }
  const std::vector<int>& processors() const { return processors_; }
  Barrier& barrier() { return barrier_; }
  // Calls work(data, thread) on every thread. In between the others sleep.
  void run(Work work, const void* data);

 private:
  void serve(int thread);

  std::vector<int> processors_;
  Barrier barrier_;
  Work work_ = nullptr;  // null: the end
  const void* data_ = nullptr;
  std::atomic<std::uint32_t> rounds_ = 0;   // of work, begun
  std::atomic<std::uint32_t> working_ = 0;  // threads that have not ended theirs
  std::vector<std::thread> others_;
};

// One for all who want that many threads there, and still have it: it may serve one caller at a time.
std::shared_ptr<Team> team_of(int threads, const std::vector<int>& processors);

}  // namespace gdbench::backends::jit
