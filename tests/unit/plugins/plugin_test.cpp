// What a plugin says of itself through the C interface, and what it refuses. That its implementations are right is for
// tests/conformance, but for helper threads, ranks within one process and updates by gradients that are given.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/worker/plugin_library.h"
#include "implementations/backends/common/kernel_library.h"
#include "tests/support/implementations/local_ranks.h"
#include "tests/support/implementations/processors.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench {
namespace {

// A plugin and a dtype that it has.
class PluginTest : public testing::TestWithParam<backends::BackendCase> {
 protected:
  void SetUp() override {
    implementation_ = library().find("hand/" + GetParam().backend);
    ASSERT_NE(implementation_, nullptr);
    ASSERT_EQ(implementation_->create(&instance_), GDBENCH_OK);
  }
  void TearDown() override {
    if (instance_ != nullptr) implementation_->destroy(instance_);
  }

  static bool is_device() { return backends::is_device(GetParam().backend); }

  // Opened once.
  static worker::PluginLibrary& library() {
    static std::map<std::string, std::unique_ptr<worker::PluginLibrary>> opened;
    const std::string& name = GetParam().backend;
    std::unique_ptr<worker::PluginLibrary>& library = opened[name];
    if (library == nullptr) {
      auto result = worker::PluginLibrary::open(backends::plugin_folder(name) + "/libgdbench_" + name + ".so");
      if (!result.ok()) throw std::runtime_error(result.error().message);
      library = std::move(result).value();
    }
    return *library;
  }
  static std::string error() { return library().take_error(""); }

  // What prepare answers, with its reason in error_.
  gdbench_status prepare(const TrainingProblem& training) {
    EXPECT_EQ(implementation_->load(instance_, &training.data()), GDBENCH_OK);
    const gdbench_status status = implementation_->prepare(instance_, &training.problem(), &training.settings());
    error_ = error();
    return status;
  }

  void expect_trains(const gdbench_implementation& implementation, gdbench_instance* instance,
                     TrainingProblem& training, std::uint64_t steps) {
    EXPECT_EQ(implementation.set_state(instance, &training.state()), GDBENCH_OK);
    EXPECT_EQ(implementation.run(instance, steps), GDBENCH_OK) << error();
    EXPECT_EQ(implementation.get_state(instance, &training.state()), GDBENCH_OK);
    EXPECT_EQ(training.state().step, static_cast<std::int64_t>(steps));
    const double tolerance = GetParam().dtype == catalogue::Dtype::f32 ? 1e-4 : 1e-11;
    expect_near(training.state_values(), training.trained(static_cast<std::int64_t>(steps)), tolerance);
  }
  void expect_trains(const gdbench_implementation& implementation, TrainingProblem& training, std::uint64_t steps) {
    gdbench_instance* instance = nullptr;
    EXPECT_EQ(implementation.create(&instance), GDBENCH_OK);
    EXPECT_EQ(implementation.load(instance, &training.data()), GDBENCH_OK);
    EXPECT_EQ(implementation.prepare(instance, &training.problem(), &training.settings()), GDBENCH_OK) << error();
    expect_trains(implementation, instance, training, steps);
    implementation.destroy(instance);
  }

  static TrainingCase small_case() {
    return {.layers = {layer(2, 1)}, .dtype = GetParam().dtype, .rows = 3, .batch_rows = 3};
  }

  const gdbench_implementation* implementation_ = nullptr;
  gdbench_instance* instance_ = nullptr;
  std::string error_;
};

TEST_P(PluginTest, DescribesItself) {
  EXPECT_EQ(implementation_->tasks, catalogue::kAll<catalogue::Task> & ~bit_of(catalogue::Task::floor));
  EXPECT_EQ(implementation_->dtypes, backends::backend_named(GetParam().backend).dtypes);
  EXPECT_EQ(implementation_->capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC), 0u);
  const std::uint32_t muon = catalogue::bit_of(catalogue::OptimizerKind::muon);
  EXPECT_EQ(implementation_->optimizers, catalogue::kAll<catalogue::OptimizerKind> & ~(is_device() ? muon : 0));
  EXPECT_EQ(implementation_->max_compute_threads, is_device() ? 1 : 64);
  const char* built_for = is_device() ? "cuda" : "-march=";
  EXPECT_NE(std::string(implementation_->build).find(built_for), std::string::npos) << implementation_->build;
  const gdbench_implementation* rerecord = library().find("tape/" + GetParam().backend + "+rerecord");
  ASSERT_NE(rerecord, nullptr);
  EXPECT_EQ(rerecord->tasks, GDBENCH_BIT(GDBENCH_TASK_GRADIENTS));
}

TEST_P(PluginTest, SaysHowManyHelperThreadsItReallyHas) {
  TrainingCase values = small_case();
  values.shuffled = true;
  TrainingProblem training(values);
  const std::int32_t own = backends::backend_named(GetParam().backend).helper_threads;
  EXPECT_EQ(implementation_->helper_threads, 1 + own);
  EXPECT_EQ(implementation_->helper_threads_in_use(instance_), 0);
  std::vector<gdbench_option_value> options = {{"loader", "auto"}, {"prefetch", "2"}};
  if (is_device()) options.push_back({"transfer", "pageable"});
  training.set_options(options);
  EXPECT_EQ(prepare(training), GDBENCH_UNSUPPORTED) << "no processor for the helper thread";
  const std::int32_t processor = any_processor();
  training.mutable_settings().helper_core_count = 1;
  training.mutable_settings().helper_cores = &processor;
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  EXPECT_EQ(implementation_->helper_threads_in_use(instance_), 1 + own);
  ASSERT_EQ(implementation_->set_state(instance_, &training.state()), GDBENCH_OK);
  ASSERT_EQ(implementation_->run(instance_, 3), GDBENCH_OK);
  expect_trains(*implementation_, instance_, training, 4);  // from step 0 again
}

// That several ranks end where one does is for conformance_test, and strategies_test where they share a process. A host
// from before there were ranks says nothing of them.
TEST_P(PluginTest, HasRanksByPolicy) {
  int policies = 0;
  for (const protocol::ImplementationDescription& described : library().describe().implementations) {
    SCOPED_TRACE(described.id);
    const gdbench_implementation* implementation = library().find(described.id);
    const bool policy = described.id.ends_with("+mpi");
    EXPECT_EQ((implementation->capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS)) != 0, policy);
    if (!policy) continue;
    ++policies;
    EXPECT_EQ(implementation->tasks, GDBENCH_BIT(GDBENCH_TASK_TRAIN));
    EXPECT_EQ(std::string(implementation->options[implementation->option_count - 1].key), "exchange");
    LocalRanks ranks(2);
    ranks.for_each([&](int rank) {
      TrainingProblem training(small_case());
      training.mutable_settings().ranks = &ranks.rank(rank);
      expect_trains(*implementation, training, 6);
    });
    EXPECT_EQ(ranks.take_calls(0).size(), 6u);
    TrainingProblem training(small_case());
    training.mutable_settings().ranks = &ranks.rank(0);
    training.mutable_settings().struct_size = offsetof(gdbench_settings, ranks);
    expect_trains(*implementation, training, 6);
    EXPECT_EQ(ranks.take_calls(0).size(), 0u);
  }
  EXPECT_EQ(policies, is_device() ? 0 : 3);
}

TEST_P(PluginTest, RefusesWhatItDoesNotOffer) {
  const LocalRanks ranks(2);
  const gdbench_stream stream{};
  TrainingProblem training(small_case());
  const auto expect_refusal = [&](const char* reason) {
    EXPECT_EQ(prepare(training), GDBENCH_UNSUPPORTED) << reason;
    EXPECT_NE(error_.find(reason), std::string::npos) << error_;
  };
  training.mutable_settings().ranks = &ranks.rank(1);
  expect_refusal("ranks: only ids with the policy +mpi train as one of several");
  training.mutable_settings().ranks = nullptr;
  training.mutable_problem().task = GDBENCH_TASK_FLOOR;
  expect_refusal("task floor");
  training.mutable_problem().task = GDBENCH_TASK_TRAIN;
  training.mutable_settings().compute_threads = 2;
  expect_refusal(is_device() ? "more than 1 compute thread" : "too small to be shared");
  training.mutable_settings().compute_threads = 1;
  training.mutable_data().stream = &stream;
  expect_refusal(is_device() ? "streamed" : "memory_cap is 0");
  training.mutable_data().stream = nullptr;
  EXPECT_EQ(prepare(training), GDBENCH_OK) << error_;
}

TEST_P(PluginTest, UpdatesByGradientsThatAreGiven) {
  TrainingCase values = small_case();
  values.layers = {layer(3, 1, catalogue::Activation::identity, false),
                   layer(2, 3, catalogue::Activation::identity, false)};  // no chain
  values.rows = values.batch_rows = 1;
  values.task = catalogue::Task::update;
  TrainingProblem training(values);
  training.mutable_data().features = 8;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  EXPECT_NE(error_.find("found 8 gradients, expected 9"), std::string::npos) << error_;
  training.mutable_data().features = 9;
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  expect_trains(*implementation_, instance_, training, 4);
  double loss = 0;
  EXPECT_EQ(implementation_->evaluate(instance_, 0, &loss), GDBENCH_UNSUPPORTED);
}

TEST_P(PluginTest, RejectsALossThatIsNoSumOverColumns) {
  TrainingCase values = small_case();
  values.layers[0].outputs = 2;
  values.loss = catalogue::Loss::softmax_cross_entropy;
  values.task = catalogue::Task::gradients;
  TrainingProblem training(values);
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  EXPECT_NE(error_.find("task gradients"), std::string::npos) << error_;
  training.mutable_problem().task = GDBENCH_TASK_TRAIN;
  EXPECT_EQ(prepare(training), GDBENCH_OK) << error_;
}

TEST_P(PluginTest, RejectsABrokenContract) {
  EXPECT_EQ(implementation_->run(instance_, 1), GDBENCH_INVALID);
  EXPECT_EQ(error(), "called before prepare");
  TrainingProblem training(small_case());
  gdbench_problem& problem = training.mutable_problem();
  const gdbench_problem right = problem;
  problem.dtype = GetParam().dtype == catalogue::Dtype::f32 ? GDBENCH_F64 : GDBENCH_F32;
  const bool has_other = (implementation_->dtypes & GDBENCH_BIT(problem.dtype)) != 0;
  EXPECT_EQ(prepare(training), has_other ? GDBENCH_INVALID : GDBENCH_UNSUPPORTED);
  problem = right;
  problem.batch_rows = 4;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  problem = right;
  problem.micro_batches = 0;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  problem = right;
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID) << "twice";
  double loss = 0;
  EXPECT_EQ(implementation_->evaluate(instance_, 2, &loss), GDBENCH_INVALID);
}

INSTANTIATE_TEST_SUITE_P(Backends, PluginTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

TEST(KernelLibraryTest, SaysWhatCannotBeOpened) {
  std::string error;
  EXPECT_EQ(backends::open_kernel_library("eigen", "/nowhere", error), nullptr);
  EXPECT_NE(error.find("/nowhere/libgdbench_kernels_eigen.so"), std::string::npos) << error;
}

}  // namespace
}  // namespace gdbench
