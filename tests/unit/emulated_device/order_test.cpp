// Programs with a barrier too few: each is right where blocks and threads happen to take turns as it needs them to, and
// one of the other orders finds it.
#include <algorithm>
#include <numeric>

#include "implementations/backends/cuda/grid_launch.h"
#include "implementations/backends/cuda/launch.h"
#include "tests/unit/emulated_device/emulated_runtime.h"

namespace gdbench::backends::cuda {
namespace {

constexpr const char* kOrders[] = {"ordered", "reversed", "shuffled", "ahead"};

// Each thread writes its number into shared memory and takes that of the thread before it.
template <bool waits>
struct NumberBefore {
  static constexpr int kPhases = waits ? 2 : 1;
  struct Shared {
    int numbers[kBlockThreads];
  };
  int* out;

  void run(int phase, std::int64_t block, int thread, Shared& shared) const {
    if (phase == 0) shared.numbers[thread] = thread;
    if (phase == kPhases - 1) out[block * kBlockThreads + thread] = shared.numbers[std::max(thread - 1, 0)];
  }
};

// In each step every block writes a number that all blocks add up after a barrier of the grid, as gradients are.
struct SharedSum {
  struct Shape {
    int blocks = 3;
    int arena = 4;  // entries
  };
  Shape shape = {};
  int buffers = 2;                  // with one, a block that is ahead writes what others still read
  bool waits = true;                // for all blocks, between writing and adding up
  bool waits_in_block = true;       // between adding up and taking what another thread has added up
  std::int32_t* numbers = nullptr;  // [2, blocks]
  std::int32_t* sums = nullptr;     // [blocks]
  std::uint64_t steps = 0;

  void load(const Place& /*at*/, std::int32_t* /*arena*/) const {}
  void leave(const Place& at, const std::int32_t* arena) const {
    if (at.thread == 0) sums[at.block] = arena[1];
  }
  int phases() const { return waits_in_block ? 3 : 2; }
  bool waits_for_all(int phase) const { return waits && phase == 0; }

  void run(int phase, std::uint64_t step, const Place& at, std::int32_t* arena) const {
    std::int32_t* of_step = numbers + static_cast<int>(step) % buffers * shape.blocks;
    if (phase == 0 && at.thread == 0) of_step[at.block] = static_cast<std::int32_t>(step) + at.block;
    if (phase == 1 && at.thread == 0) arena[0] = std::accumulate(of_step, of_step + shape.blocks, 0);
    if (phase == phases() - 1 && at.thread == 1) arena[1] += arena[0];
  }
};

class EmulatedOrderTest : public EmulatedDeviceTest {
 protected:
  // The orders in which a result is not that of the first one.
  template <class Result>
  std::vector<std::string> orders_that_differ(const std::vector<std::int32_t>& expected, const Result& result) {
    std::vector<std::string> orders;
    for (const char* order : kOrders) {
      control().order = order;
      if (result() != expected) orders.emplace_back(order);
    }
    return orders;
  }

  template <class Program>
  std::vector<std::string> orders_of_blocks() {
    constexpr std::size_t kBlocks = 3;
    auto* out = allocate<std::int32_t>(kBlocks * kBlockThreads);
    std::vector<std::int32_t> expected;
    for (std::size_t i = 0; i < kBlocks * kBlockThreads; ++i) {
      expected.push_back(std::max(static_cast<int>(i % kBlockThreads) - 1, 0));
    }
    return orders_that_differ(expected, [&] {
      launch_blocks(stream_, kBlocks, Program{out});
      return download(out, expected.size());
    });
  }

  std::vector<std::string> orders_of_a_grid(SharedSum program) {
    const int blocks = program.shape.blocks;
    constexpr int kThreads = 128;
    constexpr int kSteps = 4;
    program.steps = kSteps;
    program.numbers = allocate<std::int32_t>(static_cast<std::size_t>(2 * blocks));
    program.sums = allocate<std::int32_t>(static_cast<std::size_t>(blocks));
    // 0 + 1 + 2 of the blocks, and three times the step.
    const std::vector<std::int32_t> expected(static_cast<std::size_t>(blocks),
                                             kSteps * 3 + 3 * (kSteps - 1) * kSteps / 2);
    return orders_that_differ(expected, [&] {
      launch_grid<std::int32_t>(stream_, kThreads, program);
      return download(program.sums, static_cast<std::size_t>(blocks));
    });
  }
};

using Orders = std::vector<std::string>;

TEST_F(EmulatedOrderTest, ProgramsOfABlock) {
  EXPECT_EQ(orders_of_blocks<NumberBefore<true>>(), Orders());
  EXPECT_EQ(orders_of_blocks<NumberBefore<false>>(), (Orders{"reversed", "shuffled", "ahead"}));
}

TEST_F(EmulatedOrderTest, ProgramsOfAGrid) {
  EXPECT_EQ(orders_of_a_grid({}), Orders());
  EXPECT_EQ(orders_of_a_grid({.buffers = 1}), Orders{"ahead"});
  EXPECT_EQ(orders_of_a_grid({.waits = false}), Orders{"ahead"});
  EXPECT_EQ(orders_of_a_grid({.waits_in_block = false}), (Orders{"reversed", "shuffled", "ahead"}));
}

}  // namespace
}  // namespace gdbench::backends::cuda
