// What the reference is said to take of memory, against what it takes; and what is refused.
#include "harness/verify/reference_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include "harness/verify/reference_trajectory.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::OptimizerKind, testing::Case;

// A line of /proc/self/status, in bytes.
double of_this_process(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kibibytes = 0;
  while (status >> word) {
    if (word == key + ":" && status >> kibibytes) return 1024 * kibibytes;
  }
  return 0;
}

Case wide_case(std::int64_t width, Activation hidden, Dtype dtype, OptimizerKind kind, std::int64_t rows) {
  scenario::Problem problem =
      testing::make_problem({width, width, width, 1}, hidden, true, Loss::mse, rows, rows, dtype, 1e-3);
  problem.optimizer.kind = kind;
  Case wide = testing::make_case(problem, 1);
  for (std::size_t slot = 0; slot < scenario::slot_count(kind); ++slot) {
    for (const auto& parameter : wide.start.parameters) wide.start.slots.emplace_back(parameter.size(), 0.0);
  }
  return wide;
}

struct NetworkSize {
  const char* name;
  std::int64_t width;
  Activation hidden;
  Dtype dtype;
  OptimizerKind kind;
  std::int64_t rows;
};

class ReferenceMemoryTest : public ::testing::TestWithParam<NetworkSize> {};

TEST_P(ReferenceMemoryTest, TakesLittleLessThanIsSaid) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer takes memory of its own";
#endif
  const NetworkSize& size = GetParam();
  const Case wide = wide_case(size.width, size.hidden, size.dtype, size.kind, size.rows);
  malloc_trim(0);                                 // of what cases before this one gave back
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const double before = of_this_process("VmRSS");
  ASSERT_LT(of_this_process("VmHWM"), 1.1 * before + 0x1p22);
  const auto made = make_reference_trajectory(wide.problem, wide.dataset, wide.start, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  const double taken = of_this_process("VmHWM") - before;
  const double said = reference_bytes(wide.problem);
  RecordProperty("share", std::to_string(taken / said));
  EXPECT_LE(taken, said);
  // Networks of so few ReLUs may have no tie.
  EXPECT_GE(taken, said / (size.hidden == Activation::relu && size.width < 2000 ? 2.2 : 1.5));
}

INSTANTIATE_TEST_SUITE_P(
    , ReferenceMemoryTest,
    ::testing::Values(NetworkSize{"relu", 1000, Activation::relu, Dtype::f32, OptimizerKind::sgd, 8},
                      NetworkSize{"larger", 2000, Activation::relu, Dtype::f32, OptimizerKind::sgd, 4},
                      NetworkSize{"tanh", 1000, Activation::tanh, Dtype::f32, OptimizerKind::sgd, 8},
                      NetworkSize{"adam", 1000, Activation::relu, Dtype::f32, OptimizerKind::adam, 8},
                      NetworkSize{"lion", 1000, Activation::tanh, Dtype::f32, OptimizerKind::lion, 8},
                      NetworkSize{"muon", 1000, Activation::tanh, Dtype::f32, OptimizerKind::muon, 8},
                      NetworkSize{"f64", 1000, Activation::relu, Dtype::f64, OptimizerKind::sgd, 8},
                      NetworkSize{"f64_momentum", 1000, Activation::tanh, Dtype::f64, OptimizerKind::momentum, 8},
                      NetworkSize{"sampled", 1000, Activation::relu, Dtype::f32, OptimizerKind::sgd, 500}),
    [](const auto& size) { return size.param.name; });

// Of 1,002,001 parameters, on a machine with so much memory.
std::string memory_refusal(double cap_bytes, std::uint64_t available, OptimizerKind kind = OptimizerKind::sgd) {
  scenario::Problem problem =
      testing::make_problem({1000, 1000, 1}, Activation::tanh, true, Loss::mse, 8, 8, Dtype::f32, 1e-3);
  problem.optimizer.kind = kind;
  const MemorySource memory{.available_bytes = [available] { return available; },
                            .physical_bytes = std::uint64_t{1} << 40,
                            .patience = std::chrono::milliseconds(1),
                            .say = [](const std::string&) {}};
  for (const Status& status :
       {check_start_memory(problem, memory), check_reference_memory(problem, cap_bytes, memory)}) {
    if (status.ok()) continue;
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
    return status.error().message;
  }
  return "";
}

TEST(ReferenceMemoryRefusal, NamesWhatIsFoundExpectedAndWhatWouldHelp) {
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 33;
  const auto expect = [](const std::string& refusal, const char* start, const char* end) {
    EXPECT_TRUE(refusal.starts_with(start) && refusal.ends_with(end)) << refusal;
  };
  EXPECT_EQ(memory_refusal(0x1p30, kPlenty), "");
  expect(memory_refusal(0x1p25, kPlenty),
         "/model: found 1002001 parameters with 0 optimizer slots each, whose reference takes about 0.0",
         " GiB of memory, expected at most 0.0312 GiB (a smaller model, or a larger --memory-cap)");
  expect(memory_refusal(0x1p30, std::uint64_t{1} << 25), "/model: found 1002001 parameters",
         "expected at most the 0.0312 GiB that the machine has available (a smaller model)");
  expect(memory_refusal(0x1p30, 23'000'000, OptimizerKind::adam),
         "/model: found 1002001 parameters with 2 optimizer slots each, whose start state takes about 0.0224 GiB", "");
}

}  // namespace
}  // namespace gdbench::verify
