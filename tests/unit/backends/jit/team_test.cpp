// Threads that work side by side: where they run, that they meet, and that they rest.
#include "implementations/backends/jit/team.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <vector>

namespace gdbench::backends::jit {
namespace {

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) processors.push_back(i);
  }
  return processors;
}

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

struct Rounds {
  Barrier& barrier;
  mutable std::atomic<int> arrivals = 0;
  mutable std::atomic<int> early = 0;
};

TEST(JitTeamTest, NobodyGoesOnBeforeAllAreThere) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 200;
  Team team(kThreads, {});
  EXPECT_EQ(team.size(), kThreads);
  const Rounds rounds{team.barrier()};
  for (int run = 0; run < 5; ++run) {
    team.run(
        [](const void* data, int /*thread*/) {
          const auto& shared = *static_cast<const Rounds*>(data);
          for (int round = 1; round <= kRounds; ++round) {
            ++shared.arrivals;
            shared.barrier.meet();
            if (shared.arrivals < kThreads * round) ++shared.early;
            shared.barrier.meet();
          }
        },
        &rounds);
    EXPECT_EQ(rounds.arrivals, kThreads * kRounds);
    rounds.arrivals = 0;
  }
  EXPECT_EQ(rounds.early, 0);
}

TEST(JitTeamTest, OneTeamServesAllWhoWantTheSame) {
  const auto team = team_of(2, {});
  EXPECT_EQ(team_of(2, {}), team);
  EXPECT_NE(team_of(3, {}), team);
}

}  // namespace
}  // namespace gdbench::backends::jit
