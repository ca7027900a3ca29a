#include "harness/verify/trajectory_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <tuple>

#include "harness/base/kept_files.h"
#include "tests/support/reports/temporary_folder.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

namespace fs = std::filesystem;
using scenario::Dtype;
using testing::Case;

class TrajectoryCacheTest : public ::testing::Test {
 protected:
  static ReferenceTrajectory reference_of(const Case& problem_case) {
    return make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, {}).value();
  }
  static Case case_of(Dtype dtype) {
    return testing::make_case(
        testing::make_problem({6, 5, 3}, scenario::Activation::tanh, true, scenario::Loss::mse, 14, 4, dtype, 0.1), 21);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "new")) found.push_back(entry.path());
    return found;
  }
  // Rewrites the only file.
  void change(const std::function<void(std::string&)>& edit) const {
    std::ifstream input(files().front(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
    edit(bytes);
    std::ofstream(files().front(), std::ios::binary) << bytes;
  }

  const tests::TemporaryFolder own_folder_;
  const fs::path folder_ = own_folder_.path() / "reference trajectories";
  const TrajectoryCache cache_{folder_ / "new"};
  const Case case_ = case_of(Dtype::f32);
  const ReferenceTrajectory reference_ = reference_of(case_);
};

TEST_F(TrajectoryCacheTest, GivesBackWhatWasKept) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Case problem_case = case_of(dtype);
    ReferenceTrajectory kept = reference_of(problem_case);
    kept.tensors[1].entry_tolerances = {0.1F, 0};
    kept.bfloat16_parameters = true;
    kept.loss_scaling = {1024, 0};
    const std::string identity = scenario::name_of(dtype);
    EXPECT_FALSE(cache_.find(identity, problem_case.start));
    cache_.keep(identity, problem_case.start, kept);
    const std::optional<ReferenceTrajectory> found = cache_.find(identity, problem_case.start);
    ASSERT_TRUE(found);
    const auto figures = [](const ReferenceTrajectory& one) {
      return std::tuple(one.steps, one.sampled, one.evaluated, one.start.step, one.start.parameters, one.losses,
                        one.initial_loss, one.final_loss, one.loss_tolerance, one.bfloat16_parameters,
                        one.loss_scaling);
    };
    EXPECT_EQ(figures(*found), figures(kept));
    ASSERT_EQ(found->tensors.size(), kept.tensors.size());
    for (std::size_t p = 0; p < kept.tensors.size(); ++p) {
      const auto parts = [](const ExpectedTensor& tensor) {
        return std::tuple(tensor.name, tensor.rows, tensor.columns, tensor.tolerance, tensor.scale,
                          tensor.entry_tolerances);
      };
      EXPECT_EQ(parts(found->tensors[p]), parts(kept.tensors[p]));
      EXPECT_EQ(found->tensors[p].values, kept.tensors[p].values) << "all bits of a long double, too";
    }
  }
  EXPECT_EQ(files().size(), 2U) << "no temporary file is left";
}

TEST_F(TrajectoryCacheTest, AnotherScenarioOrAnotherStartIsNotFound) {
  Case problem_case = case_of(Dtype::f32);
  cache_.keep("a", problem_case.start, reference_of(problem_case));
  EXPECT_TRUE(cache_.find("a", problem_case.start));
  EXPECT_FALSE(cache_.find("b", problem_case.start));
  scenario::State scaled = problem_case.start;
  scaled.loss_scaling = {1024, 0, 0};
  EXPECT_FALSE(cache_.find("a", scaled));
  problem_case.start.parameters[2][1] += 1e-9;
  EXPECT_FALSE(cache_.find("a", problem_case.start));
  // Under the name of another one.
  const fs::path file = files().front();
  cache_.keep("c", problem_case.start, reference_of(problem_case));
  for (const fs::path& other : files()) {
    if (other != file) fs::copy_file(file, other, fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(cache_.find("c", problem_case.start));
}

TEST(DefaultCacheFolder, IsTheUsersOwn) {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const auto folder_with = [](const std::string& cache, const std::string& home) {
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    setenv("HOME", home.c_str(), 1);
    return default_cache_folder("reference");
  };
  const std::string cache = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  EXPECT_EQ(folder_with("/c", "/h"), "/c/gdbench/reference");
  EXPECT_EQ(folder_with("", "/h"), "/h/.cache/gdbench/reference");
  EXPECT_EQ(folder_with("", ""), "") << "then nothing is kept";
  folder_with(cache, home);
}

TEST_F(TrajectoryCacheTest, ADamagedFileCountsAsNoneAndIsReplaced) {
  const std::function<void(std::string&)> damages[] = {
      [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; }, [](std::string& bytes) { bytes.pop_back(); },
      [](std::string& bytes) { bytes.resize(bytes.size() / 2); }, [](std::string& bytes) { bytes.clear(); },
      [](std::string& bytes) { bytes += "x"; }};
  for (const auto& damage : damages) {
    cache_.keep("a", case_.start, reference_);
    ASSERT_TRUE(cache_.find("a", case_.start));
    change(damage);
    EXPECT_FALSE(cache_.find("a", case_.start));
  }
}

TEST_F(TrajectoryCacheTest, WhereNothingCanBeWrittenNothingIsKept) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "in the way";
  for (const fs::path& folder : {fs::path(), folder_ / "file", folder_ / "file" / "below", fs::path("/proc/none")}) {
    const TrajectoryCache nowhere(folder);
    nowhere.keep("a", case_.start, reference_);
    EXPECT_FALSE(nowhere.find("a", case_.start)) << folder;
  }
}

TEST_F(TrajectoryCacheTest, WhatWasNotUsedForLongestMakesRoom) {
  cache_.keep("a", case_.start, reference_);
  const std::uintmax_t bytes = fs::file_size(files().front());
  const TrajectoryCache two(folder_ / "new", 2 * bytes + bytes / 2);
  two.keep("b", case_.start, reference_);
  for (const fs::path& file : files()) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  EXPECT_TRUE(two.find("a", case_.start));  // is in use again
  two.keep("c", case_.start, reference_);
  EXPECT_EQ(files().size(), 2U);
  EXPECT_TRUE(two.find("a", case_.start));
  EXPECT_FALSE(two.find("b", case_.start));
  EXPECT_TRUE(two.find("c", case_.start));
}

}  // namespace
}  // namespace gdbench::verify
