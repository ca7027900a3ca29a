// Threads that time a loop at the same moment, each on a processor of its own and on its own part of a buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace gdbench::machine {

// One timed repetition: operations, entries or bytes, and how long they took.
struct Reading {
  double units = 0;
  double nanoseconds = 0;
};

// What a thread works with.
struct Part {
  int index = 0;
  int count = 1;
  std::byte* buffer = nullptr;   // of the team
  std::byte* scratch = nullptr;  // kFunctionBytes of the thread's own, 64-byte aligned

  // The thread's part of `bytes` bytes at the buffer's place `offset`, of which one thread has all; whole lines.
  std::byte* begin(std::int64_t offset, std::int64_t bytes) const { return buffer + offset + index * share(bytes); }
  std::int64_t share(std::int64_t bytes) const { return count == 1 ? bytes : bytes / count / 64 * 64; }
};

class ProbeTeam {
 public:
  // The calling thread is the first of the team and moves to processors[0]. placed() is false where a processor cannot
  // be used, and then nothing may be timed.
  explicit ProbeTeam(const std::vector<int>& processors);
  ~ProbeTeam();
  ProbeTeam(const ProbeTeam&) = delete;
  ProbeTeam& operator=(const ProbeTeam&) = delete;

  bool placed() const { return placed_; }
  int size() const { return static_cast<int>(scratch_.size()); }
  // What the threads have parts of from now on, 64-byte aligned.
  void share(std::byte* buffer) { buffer_ = buffer; }

  // Every thread first calls warm_up; all begin `timed`, which returns its units, together. The time is that from the
  // first one's beginning to the last one's end: what they did while others waited must not count as done together.
  Reading time(const std::function<void(const Part&)>& warm_up, const std::function<std::int64_t(const Part&)>& timed);

 private:
  struct Stamps {
    double begin_ns = 0;
    double end_ns = 0;
    std::int64_t units = 0;
  };

  void work(int index);
  void meet();

  std::vector<std::byte*> scratch_;
  std::vector<Stamps> stamps_;
  std::byte* buffer_ = nullptr;
  bool placed_ = true;
  bool ended_ = false;
  const std::function<void(const Part&)>* warm_up_ = nullptr;
  const std::function<std::int64_t(const Part&)>* timed_ = nullptr;
  std::atomic<int> arrived_ = 0;
  std::atomic<int> meetings_ = 0;
  std::vector<std::thread> helpers_;
};

}  // namespace gdbench::machine
