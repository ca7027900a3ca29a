// Ranks that train together within one process, a thread each, and add up in memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench {

// Sums are made of the ranks' values in the order of ranks, so that all have the same bits. What is begun is added up
// from the values as they were then, and it is an error to touch them before it is finished.
class LocalRanks {
 public:
  explicit LocalRanks(int count);
  LocalRanks(const LocalRanks&) = delete;  // what ranks() returns points into it
  LocalRanks& operator=(const LocalRanks&) = delete;

  int count() const { return static_cast<int>(members_.size()); }
  const gdbench_ranks& rank(int number) const { return members_[static_cast<std::size_t>(number)].interface; }
  // work(rank) on a thread of its own for each, and waits for all of them. What one throws fails the test.
  void for_each(const std::function<void(int rank)>& work);

  // What a rank asked for, in its order: "all_reduce 12", "begin 5", "finish". Empty again afterwards.
  std::vector<std::string> take_calls(int rank);

 private:
  struct Sum {
    void* values = nullptr;
    std::int64_t count = 0;
    catalogue::Dtype dtype = {};
    std::vector<std::byte> begun;  // the values when it was begun
  };
  struct Member {
    gdbench_ranks interface {};
    LocalRanks* all = nullptr;
    std::vector<Sum> sums;  // under way
    std::vector<std::string> calls;
  };

  static gdbench_status all_reduce(void* context, void* values, std::int64_t count, std::int32_t dtype);
  static gdbench_status begin(void* context, void* values, std::int64_t count, std::int32_t dtype);
  static gdbench_status finish(void* context);
  gdbench_status add_up(Member& member);
  bool agree(const Member& member) const;
  // False where another one does not come.
  bool meet();

  std::vector<Member> members_;
  std::mutex mutex_;
  std::condition_variable all_there_;
  int waiting_ = 0;
  std::uint64_t meetings_ = 0;
};

}  // namespace gdbench
