#include "tests/support/implementations/local_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

namespace gdbench {

LocalRanks::LocalRanks(int count) : members_(static_cast<std::size_t>(count)) {
  for (int number = 0; number < count; ++number) {
    Member& member = members_[static_cast<std::size_t>(number)];
    member.all = this;
    member.interface = {sizeof(gdbench_ranks), number, count, &member, all_reduce, begin, finish};
  }
}

void LocalRanks::for_each(const std::function<void(int rank)>& work) {
  std::vector<std::string> errors(members_.size());
  std::vector<std::thread> threads;
  threads.reserve(members_.size());
  for (int number = 0; number < count(); ++number) {
    threads.emplace_back([&, number] {
      try {
        work(number);
      } catch (const std::exception& failure) {
        errors[static_cast<std::size_t>(number)] = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t number = 0; number < errors.size(); ++number) EXPECT_EQ(errors[number], "") << "rank " << number;
}

std::vector<std::string> LocalRanks::take_calls(int rank) {
  return std::exchange(members_[static_cast<std::size_t>(rank)].calls, {});
}

bool LocalRanks::meet() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meetings_;
  if (++waiting_ == count()) {
    waiting_ = 0;
    ++meetings_;
    all_there_.notify_all();
    return true;
  }
  return all_there_.wait_for(lock, std::chrono::seconds(20), [&] { return meetings_ != meeting; });
}

gdbench_status LocalRanks::begin(void* context, void* values, std::int64_t count, std::int32_t dtype) {
  Member& member = *static_cast<Member*>(context);
  const auto* bytes = static_cast<const std::byte*>(values);
  const auto type = static_cast<catalogue::Dtype>(dtype);
  member.sums.push_back({values, count, type, {bytes, bytes + static_cast<std::size_t>(count) * size_of(type)}});
  member.calls.push_back("begin " + std::to_string(count));
  return GDBENCH_OK;
}

gdbench_status LocalRanks::finish(void* context) {
  Member& member = *static_cast<Member*>(context);
  member.calls.emplace_back("finish");
  return member.all->add_up(member);
}

gdbench_status LocalRanks::all_reduce(void* context, void* values, std::int64_t count, std::int32_t dtype) {
  Member& member = *static_cast<Member*>(context);
  if (!member.sums.empty()) return GDBENCH_INVALID;
  begin(context, values, count, dtype);
  member.calls.back() = "all_reduce " + std::to_string(count);
  return member.all->add_up(member);
}

bool LocalRanks::agree(const Member& member) const {
  if (member.sums.size() != members_[0].sums.size()) return false;
  for (std::size_t i = 0; i < member.sums.size(); ++i) {
    const Sum& own = member.sums[i];
    const Sum& first = members_[0].sums[i];
    if (own.count != first.count || own.dtype != first.dtype) return false;
    if (std::memcmp(own.values, own.begun.data(), own.begun.size()) != 0) return false;
  }
  return true;
}

gdbench_status LocalRanks::add_up(Member& member) {
  if (!meet()) return GDBENCH_FAILED;
  const bool agreed = std::ranges::all_of(members_, [this](const Member& other) { return agree(other); });
  if (!meet()) return GDBENCH_FAILED;  // before a rank writes
  if (!agreed) return GDBENCH_INVALID;
  for (std::size_t sum = 0; sum < member.sums.size(); ++sum) {
    const Sum& own = member.sums[sum];
    catalogue::with_element(own.dtype, [&](auto zero) {
      for (std::int64_t i = 0; i < own.count; ++i) {
        auto total = zero;
        for (const Member& one : members_) {
          total += reinterpret_cast<const decltype(zero)*>(one.sums[sum].begun.data())[i];
        }
        static_cast<decltype(zero)*>(own.values)[i] = total;
      }
    });
  }
  if (!meet()) return GDBENCH_FAILED;  // before a rank resets its part
  member.sums.clear();
  return GDBENCH_OK;
}

}  // namespace gdbench
