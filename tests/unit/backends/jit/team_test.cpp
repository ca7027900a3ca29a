// Threads that work side by side: where they run, that they meet, and that they rest.
#include "implementations/backends/jit/team.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <vector>

#include "tests/support/implementations/processors.h"

namespace gdbench::backends::jit {
namespace {

struct Seen {
  mutable int processors[2] = {-1, -1};
};

TEST(JitTeamTest, ThreadsRunWhereTheyAreTold) {
  const std::vector<int> allowed = allowed_processors();
  if (allowed.size() < 2) GTEST_SKIP() << "one processor";
  // The calling thread's processor, which is the host's to choose, comes first.
  Team team(2, {allowed[0], allowed[1]});
  const Seen seen;
  team.run([](const void* data, int thread) { static_cast<const Seen*>(data)->processors[thread] = sched_getcpu(); },
           &seen);
  EXPECT_EQ(seen.processors[1], allowed[1]);
}

// As in a step: each thread writes its part, and when all have, reads those of all. Without atomics, so that the thread
// sanitizer sees what is not ordered.
struct Sums {
  Barrier& barrier;
  int first = 0;                             // the caller's, between runs
  mutable std::vector<std::int64_t> parts;   // by thread
  mutable std::vector<std::int64_t> totals;  // by thread, of what it read in all rounds
};

TEST(JitTeamTest, ThreadsReadWhatTheOthersWrote) {
  constexpr int kRounds = 100;
  for (const int threads : {2, 3, 4, 8}) {
    Team team(threads, {});
    Sums sums{team.barrier(), 0, std::vector<std::int64_t>(static_cast<std::size_t>(threads)),
              std::vector<std::int64_t>(static_cast<std::size_t>(threads))};
    for (int run = 0; run < 5; ++run) {
      sums.first = run;
      team.run(
          [](const void* data, int thread) {
            const auto& shared = *static_cast<const Sums*>(data);
            const auto own = static_cast<std::size_t>(thread);
            std::int64_t total = 0;
            for (int round = 0; round < kRounds; ++round) {
              shared.parts[own] = (shared.first + round) * (thread + 1);
              shared.barrier.meet();
              for (const std::int64_t part : shared.parts) total += part;
              shared.barrier.meet();
            }
            shared.totals[own] = total;  // which the end of the run alone lets the caller read
          },
          &sums);
      const std::int64_t rounds = kRounds * run + kRounds * (kRounds - 1) / 2;
      for (const std::int64_t total : sums.totals) EXPECT_EQ(total, rounds * threads * (threads + 1) / 2);
    }
  }
}

TEST(JitTeamTest, OneTeamServesAllWhoWantTheSame) {
  const auto team = team_of(2, {});
  EXPECT_EQ(team_of(2, {}), team);
  EXPECT_NE(team_of(3, {}), team);
}

}  // namespace
}  // namespace gdbench::backends::jit
