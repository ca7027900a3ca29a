// The fakes themselves: each loads, has its id, and misbehaves in its one way; what they share trains correctly.
#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/plugin_driver.h"

namespace gdbench::fakes {
namespace {

std::string path_of(const std::string& fake) { return std::string(GDBENCH_FAKES_DIRECTORY) + "/" + fake + ".so"; }

Regression small_regression() { return make_regression(3, 2, 3, false); }

template <class T>
void expect_trains_correctly(const std::string& fake, const Regression& regression, std::uint64_t steps) {
  const LoadedPlugin plugin(path_of(fake));
  ASSERT_TRUE(plugin.has_entry()) << plugin.load_error();
  Instance<T> instance(plugin.implementation(), regression);
  ASSERT_EQ(instance.prepare_status(), GDBENCH_OK);
  ASSERT_EQ(instance.run(steps), GDBENCH_OK);
  std::int64_t step = 0;
  const std::vector<double> actual = instance.parameters(&step);
  const std::vector<double> expected = expected_parameters(regression, steps);
  EXPECT_EQ(step, static_cast<std::int64_t>(steps));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], sizeof(T) == 4 ? 1e-6 : 1e-14) << "parameter " << k;
  }
}

// Processor seconds that this process has used.
double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

TEST(Fakes, EachHasItsIdAndTheCurrentAbi) {
  const std::map<std::string, std::string> ids = {
      {"fake_crash", "fake/crash"},    {"fake_hang", "fake/hang"},
      {"fake_memory", "fake/memory"},  {"fake_wrong", "fake/wrong"},
      {"fake_nan", "fake/nan"},        {"fake_prepare_fails", "fake/prepare-fails"},
      {"fake_skip", "fake/skip"},      {"fake_unsupported", "fake/unsupported"},
      {"fake_idle", "fake/idle"},      {"fake_null", "null/none"},
      {"fake_exit", "fake/exit"},      {"fake_stdout", "fake/stdout"},
      {"fake_throw", "fake/throw"},    {"fake_delay", "fake/delay"},
      {"fake_flatter", "fake/flatter"}};
  for (const auto& [fake, id] : ids) {
    const LoadedPlugin plugin(path_of(fake));
    ASSERT_TRUE(plugin.has_entry()) << plugin.load_error();
    ASSERT_NE(plugin.plugin(), nullptr) << fake;
    EXPECT_EQ(plugin.plugin()->abi_major, static_cast<std::uint32_t>(GDBENCH_ABI_MAJOR)) << fake;
    EXPECT_EQ(plugin.plugin()->implementation_count, 1) << fake;
    EXPECT_EQ(plugin.implementation().id, id);
  }
}

TEST(Fakes, AbiClaimsAnotherMajorVersion) {
  const LoadedPlugin plugin(path_of("fake_abi"));
  ASSERT_TRUE(plugin.has_entry()) << plugin.load_error();
  EXPECT_EQ(plugin.plugin()->abi_major, 99u);
}

TEST(Fakes, NoEntryOpensButHasNoEntry) {
  const LoadedPlugin plugin(path_of("fake_no_entry"));
  EXPECT_EQ(plugin.load_error(), "");
  EXPECT_FALSE(plugin.has_entry());
}

TEST(FakeCore, TrainsFullBatch) {
  expect_trains_correctly<float>("fake_delay", small_regression(), 20);
  expect_trains_correctly<double>("fake_delay", small_regression(), 20);
}

TEST(FakeCore, TrainsWithBiasAndHalfMse) {
  Regression regression = make_regression(17, 5, 17, true);
  regression.loss = GDBENCH_HALF_MSE;
  expect_trains_correctly<float>("fake_delay", regression, 30);
  expect_trains_correctly<double>("fake_delay", regression, 30);
}

TEST(FakeCore, FollowsTheOrderOfMiniBatchesAcrossEpochs) {
  // 17 rows in batches of 5: the last of an epoch has two rows; 11 steps reach the third epoch, which is the first
  // again.
  expect_trains_correctly<float>("fake_delay", make_regression(17, 3, 5, true), 11);
  expect_trains_correctly<double>("fake_delay", make_regression(17, 3, 5, true), 11);
}

TEST(Fakes, StdoutTrainsCorrectlyWhilePrinting) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  expect_trains_correctly<double>("fake_stdout", small_regression(), 5);
  EXPECT_NE(testing::internal::GetCapturedStdout(), "");
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

TEST(Fakes, WrongMovesTwiceAsFar) {
  const Regression regression = small_regression();
  const LoadedPlugin plugin(path_of("fake_wrong"));
  Instance<double> instance(plugin.implementation(), regression);
  ASSERT_EQ(instance.run(1), GDBENCH_OK);
  const double expected = expected_parameters(regression, 1)[0] - regression.initial[0];
  EXPECT_NEAR(instance.parameters()[0] - regression.initial[0], 2 * expected, 1e-14);
}

TEST(Fakes, NanWritesANan) {
  const LoadedPlugin plugin(path_of("fake_nan"));
  Instance<float> instance(plugin.implementation(), small_regression());
  ASSERT_EQ(instance.run(1), GDBENCH_OK);
  EXPECT_TRUE(std::isnan(instance.parameters()[0]));
}

TEST(Fakes, SkipIsHonestOnlyOnShortRuns) {
  expect_trains_correctly<double>("fake_skip", small_regression(), 64);
  const LoadedPlugin plugin(path_of("fake_skip"));
  Instance<double> instance(plugin.implementation(), small_regression());
  ASSERT_EQ(instance.run(200), GDBENCH_OK);
  std::int64_t step = 0;
  EXPECT_NEAR(instance.parameters(&step)[0], expected_parameters(small_regression(), 100)[0], 1e-14);
  EXPECT_EQ(step, 200);
}

TEST(Fakes, PrepareFailuresCarryTheirReason) {
  const LoadedPlugin failing(path_of("fake_prepare_fails"));
  EXPECT_EQ(Instance<double>(failing.implementation(), small_regression()).prepare_status(), GDBENCH_FAILED);
  EXPECT_EQ(failing.reported_error(), "the accelerator is on fire");
  const LoadedPlugin refusing(path_of("fake_unsupported"));
  EXPECT_EQ(Instance<double>(refusing.implementation(), small_regression()).prepare_status(), GDBENCH_UNSUPPORTED);
  EXPECT_EQ(refusing.reported_error(), "only problems of another kind");
}

TEST(Fakes, NullCountsStepsAndSaysThatItDoesNothing) {
  const LoadedPlugin plugin(path_of("fake_null"));
  EXPECT_TRUE(plugin.implementation().capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC));
  Instance<float> instance(plugin.implementation(), small_regression());
  ASSERT_EQ(instance.run(1000), GDBENCH_OK);
  std::int64_t step = 0;
  EXPECT_EQ(instance.parameters(&step), std::vector<double>(2, 0.0));
  EXPECT_EQ(step, 1000);
}

TEST(Fakes, DelayWaitsAtLeastWhatItWasTold) {
  const LoadedPlugin plugin(path_of("fake_delay"));
  Instance<double> instance(plugin.implementation(), small_regression(), {{"delay_ns", "200000"}});
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(instance.run(10), GDBENCH_OK);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2));
  EXPECT_NEAR(instance.parameters()[0], expected_parameters(small_regression(), 10)[0], 1e-14);
}

TEST(Fakes, IdleUsesTheProcessorAfterRunReturned) {
  const LoadedPlugin plugin(path_of("fake_idle"));
  Instance<double> instance(plugin.implementation(), small_regression());
  ASSERT_EQ(instance.run(1), GDBENCH_OK);
  const double before = processor_seconds();
  for (int i = 0; i < 200 && processor_seconds() - before < 0.01; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(processor_seconds() - before, 0.01);
}

TEST(Fakes, ThrowLetsAnExceptionEscape) {
  const LoadedPlugin plugin(path_of("fake_throw"));
  Instance<double> instance(plugin.implementation(), small_regression());
  EXPECT_THROW(static_cast<void>(instance.run(1)), std::runtime_error);
}

TEST(FakesDeathTest, CrashAndExitEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const LoadedPlugin crashing(path_of("fake_crash"));
  Instance<double> crash(crashing.implementation(), small_regression());
  EXPECT_DEATH(static_cast<void>(crash.run(1)), "");
  const LoadedPlugin leaving(path_of("fake_exit"));
  Instance<double> leave(leaving.implementation(), small_regression());
  EXPECT_EXIT(static_cast<void>(leave.run(1)), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gdbench::fakes
