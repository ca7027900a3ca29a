// The plugins through the C interface alone.
#include "gdbench/plugin.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

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
    const std::string file = backends::plugin_folder(GetParam().backend) + "/libgdbench_" + GetParam().backend + ".so";
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    const auto entry = reinterpret_cast<gdbench_plugin_entry_function>(dlsym(library_, GDBENCH_PLUGIN_ENTRY_NAME));
    ASSERT_NE(entry, nullptr);
    plugin_ = entry(&host_);
    ASSERT_NE(plugin_, nullptr) << error_;
    implementation_ = plugin_->implementations[0];
    ASSERT_EQ(implementation_->create(&instance_), GDBENCH_OK);
  }
  void TearDown() override {
    if (instance_ != nullptr) implementation_->destroy(instance_);
  }

  // What prepare answers, with its reason in error_.
  gdbench_status prepare(const TrainingProblem& training) {
    EXPECT_EQ(implementation_->load(instance_, &training.data()), GDBENCH_OK);
    return implementation_->prepare(instance_, &training.problem(), &training.settings());
  }

  static TrainingCase small_case() {
    return {.layers = {{2, 1, GDBENCH_IDENTITY, 1}}, .dtype = GetParam().dtype, .rows = 3, .batch_rows = 3};
  }

  static double tolerance() { return GetParam().dtype == catalogue::Dtype::f32 ? 1e-5 : 1e-12; }

  void* library_ = nullptr;
  const gdbench_plugin* plugin_ = nullptr;
  const gdbench_implementation* implementation_ = nullptr;
  gdbench_instance* instance_ = nullptr;
  std::string error_;
  gdbench_host host_{sizeof(host_), GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, &error_,
                     [](void* error, const char* message) { *static_cast<std::string*>(error) = message; }};
};

TEST_P(PluginTest, DescribesItself) {
  EXPECT_EQ(plugin_->abi_major, static_cast<std::uint32_t>(GDBENCH_ABI_MAJOR));
  EXPECT_EQ(implementation_->id, "hand/" + GetParam().backend);
  EXPECT_EQ(implementation_->tasks,
            GDBENCH_BIT(GDBENCH_TASK_TRAIN) | GDBENCH_BIT(GDBENCH_TASK_UPDATE) | GDBENCH_BIT(GDBENCH_TASK_GRADIENTS));
  EXPECT_EQ(implementation_->dtypes, backends::backend_named(GetParam().backend).dtypes);
  EXPECT_EQ(implementation_->capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_NO_ARITHMETIC), 0u);
  EXPECT_EQ(implementation_->optimizers, catalogue::kAll<catalogue::OptimizerKind>);
  EXPECT_EQ(implementation_->max_compute_threads, backends::is_device(GetParam().backend) ? 1 : 64);
  const char* built_for = backends::is_device(GetParam().backend) ? "cuda" : "-march=";
  EXPECT_NE(std::string(implementation_->build).find(built_for), std::string::npos) << implementation_->build;
}

TEST_P(PluginTest, TrainsThroughTheInterface) {
  TrainingProblem training(small_case());
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  ASSERT_EQ(implementation_->set_state(instance_, &training.state()), GDBENCH_OK);
  ASSERT_EQ(implementation_->run(instance_, 6), GDBENCH_OK);
  ASSERT_EQ(implementation_->sync(instance_), GDBENCH_OK);
  ASSERT_EQ(implementation_->get_state(instance_, &training.state()), GDBENCH_OK);
  EXPECT_EQ(training.state().step, 6);
  const std::vector<Dense> expected = training.trained(6);
  for (std::size_t entry = 0; entry < 2; ++entry) {
    EXPECT_NEAR(training.state_values()[0].values[entry], expected[0].values[entry], tolerance());
  }
  double loss = 0;
  ASSERT_EQ(implementation_->evaluate(instance_, 1, &loss), GDBENCH_OK);
  EXPECT_NEAR(loss, training.loss(expected, 1), tolerance());
}

TEST_P(PluginTest, SaysHowManyHelperThreadsItReallyHas) {
  TrainingCase values = small_case();
  values.shuffled = true;
  TrainingProblem training(values);
  const bool device = backends::is_device(GetParam().backend);
  const std::int32_t own = backends::backend_named(GetParam().backend).helper_threads;
  EXPECT_EQ(implementation_->helper_threads, 1 + own);
  EXPECT_EQ(implementation_->helper_threads_in_use(instance_), 0);
  const gdbench_option_value options[] = {{"loader", "auto"}, {"prefetch", "2"}, {"transfer", "pageable"}};
  const std::int32_t processor = any_processor();
  gdbench_settings& settings = training.mutable_settings();
  settings.option_count = device ? 3 : 2;
  settings.options = options;
  EXPECT_EQ(prepare(training), GDBENCH_UNSUPPORTED) << "no processor for the helper thread";
  settings.helper_core_count = 1;
  settings.helper_cores = &processor;
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  EXPECT_EQ(implementation_->helper_threads_in_use(instance_), 1 + own);
  ASSERT_EQ(implementation_->set_state(instance_, &training.state()), GDBENCH_OK);
  ASSERT_EQ(implementation_->run(instance_, 3), GDBENCH_OK);
  ASSERT_EQ(implementation_->set_state(instance_, &training.state()), GDBENCH_OK);  // from step 0 again
  ASSERT_EQ(implementation_->run(instance_, 4), GDBENCH_OK);
  ASSERT_EQ(implementation_->get_state(instance_, &training.state()), GDBENCH_OK);
  EXPECT_EQ(training.state().step, 4);
  const std::vector<Dense> expected = training.trained(4);
  for (std::size_t entry = 0; entry < 2; ++entry) {
    EXPECT_NEAR(training.state_values()[0].values[entry], expected[0].values[entry], tolerance());
  }
}

// With a helper thread beside them, which makes shuffled batches.
TEST_P(PluginTest, TrainsWithSeveralThreads) {
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "one thread calls a device";
  TrainingCase values;
  values.layers = {layer(40, 30, catalogue::Activation::tanh), layer(30, 1)};
  values.dtype = GetParam().dtype;
  values.rows = 1201;
  values.batch_rows = 600;  // and one row at the end of an epoch, for one thread
  values.shuffled = true;
  const gdbench_option_value options[] = {{"loader", "auto"}, {"prefetch", "2"}};
  const std::int32_t processor = any_processor();
  for (std::int64_t i = 0; i < plugin_->implementation_count; ++i) {
    const gdbench_implementation& implementation = *plugin_->implementations[i];
    if ((implementation.tasks & GDBENCH_BIT(GDBENCH_TASK_TRAIN)) == 0) continue;
    if ((implementation.dtypes & catalogue::bit_of(values.dtype)) == 0) continue;
    for (const std::int32_t threads : {2, 3}) {
      SCOPED_TRACE(testing::Message() << implementation.id << " " << threads << " threads");
      TrainingProblem training(values);
      gdbench_settings& settings = training.mutable_settings();
      settings.compute_threads = threads;
      settings.compute_core_count = settings.helper_core_count = 1;
      settings.compute_cores = settings.helper_cores = &processor;
      settings.option_count = 2;
      settings.options = options;
      gdbench_instance* instance = nullptr;
      ASSERT_EQ(implementation.create(&instance), GDBENCH_OK);
      ASSERT_EQ(implementation.load(instance, &training.data()), GDBENCH_OK);
      ASSERT_EQ(implementation.prepare(instance, &training.problem(), &settings), GDBENCH_OK) << error_;
      ASSERT_EQ(implementation.set_state(instance, &training.state()), GDBENCH_OK);
      ASSERT_EQ(implementation.run(instance, 5), GDBENCH_OK);
      ASSERT_EQ(implementation.get_state(instance, &training.state()), GDBENCH_OK);
      const std::vector<Dense> expected = training.trained(5);
      for (std::size_t tensor = 0; tensor < expected.size(); ++tensor) {
        for (std::size_t entry = 0; entry < expected[tensor].values.size(); ++entry) {
          ASSERT_NEAR(training.state_values()[tensor].values[entry], expected[tensor].values[entry], 10 * tolerance());
        }
      }
      double loss = 0;
      ASSERT_EQ(implementation.evaluate(instance, 0, &loss), GDBENCH_OK);
      EXPECT_NEAR(loss, training.loss(expected, 0), 10 * tolerance());
      implementation.destroy(instance);
    }
  }
}

// Two ranks, one rank, none, and a host that has never heard of them.
TEST_P(PluginTest, TrainsAsOneOfSeveralRanksByPolicy) {
  TrainingCase values = small_case();
  int policies = 0;
  for (std::int64_t i = 0; i < plugin_->implementation_count; ++i) {
    const gdbench_implementation& implementation = *plugin_->implementations[i];
    SCOPED_TRACE(implementation.id);
    const bool policy = std::string(implementation.id).ends_with("+mpi");
    EXPECT_EQ((implementation.capabilities & GDBENCH_BIT(GDBENCH_CAPABILITY_RANKS)) != 0, policy);
    if (!policy) continue;
    ++policies;
    EXPECT_EQ(implementation.tasks, GDBENCH_BIT(GDBENCH_TASK_TRAIN));
    EXPECT_EQ(std::string(implementation.options[implementation.option_count - 1].key), "exchange");
    for (const int count : {2, 1, 0}) {
      LocalRanks ranks(std::max(count, 1));
      ranks.for_each([&](int rank) {
        TrainingProblem training(values);
        if (count > 0) training.mutable_settings().ranks = &ranks.rank(rank);
        if (rank == 0 && count == 0) training.mutable_settings().struct_size = offsetof(gdbench_settings, ranks);
        gdbench_instance* instance = nullptr;
        EXPECT_EQ(implementation.create(&instance), GDBENCH_OK);
        EXPECT_EQ(implementation.load(instance, &training.data()), GDBENCH_OK);
        EXPECT_EQ(implementation.prepare(instance, &training.problem(), &training.settings()), GDBENCH_OK) << error_;
        EXPECT_EQ(implementation.set_state(instance, &training.state()), GDBENCH_OK);
        EXPECT_EQ(implementation.run(instance, 6), GDBENCH_OK) << error_;
        EXPECT_EQ(implementation.get_state(instance, &training.state()), GDBENCH_OK);
        for (std::size_t entry = 0; entry < 2; ++entry) {
          EXPECT_NEAR(training.state_values()[0].values[entry], training.trained(6)[0].values[entry], tolerance());
        }
        implementation.destroy(instance);
      });
      EXPECT_EQ(ranks.take_calls(0).size(), count == 2 ? 6u : 0u);
    }
  }
  EXPECT_EQ(policies, backends::is_device(GetParam().backend) ? 0 : 3);
}

TEST_P(PluginTest, RefusesRanksWithoutThePolicy) {
  TrainingProblem training(small_case());
  const LocalRanks ranks(2);
  training.mutable_settings().ranks = &ranks.rank(1);
  EXPECT_EQ(prepare(training), GDBENCH_UNSUPPORTED);
  EXPECT_EQ(error_, "ranks: only ids with the policy +mpi train as one of several");
}

TEST_P(PluginTest, RefusesWhatItDoesNotOffer) {
  TrainingProblem training(small_case());
  const auto expect_refusal = [&](const char* reason) {
    EXPECT_EQ(prepare(training), GDBENCH_UNSUPPORTED) << reason;
    EXPECT_NE(error_.find(reason), std::string::npos) << error_;
  };
  training.mutable_problem().task = GDBENCH_TASK_FLOOR;
  expect_refusal("task floor");
  training.mutable_problem().task = GDBENCH_TASK_TRAIN;
  training.mutable_settings().compute_threads = 2;
  expect_refusal(backends::is_device(GetParam().backend) ? "more than 1 compute thread" : "too small to be shared");
  training.mutable_settings().compute_threads = 1;
  const gdbench_stream stream{};
  training.mutable_data().stream = &stream;
  expect_refusal(backends::is_device(GetParam().backend) ? "streamed" : "memory_cap is 0");
  training.mutable_data().stream = nullptr;
  EXPECT_EQ(prepare(training), GDBENCH_OK) << error_;
}

TEST_P(PluginTest, UpdatesByGradientsThatAreGiven) {
  TrainingCase values = small_case();
  values.layers = {{3, 1, GDBENCH_IDENTITY, 0}, {2, 3, GDBENCH_IDENTITY, 0}};  // no chain
  values.rows = values.batch_rows = 1;
  values.task = catalogue::Task::update;
  TrainingProblem training(values);
  gdbench_data& data = training.mutable_data();
  const std::vector<double> wide(9, 0.5);
  const std::vector<float> narrow(9, 0.5F);
  data.x = GetParam().dtype == catalogue::Dtype::f64 ? static_cast<const void*>(wide.data()) : narrow.data();
  data.y = nullptr;
  data.outputs = 0;
  data.features = 8;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  EXPECT_NE(error_.find("found 8 gradients, expected 9"), std::string::npos) << error_;
  data.features = 9;
  ASSERT_EQ(prepare(training), GDBENCH_OK) << error_;
  ASSERT_EQ(implementation_->set_state(instance_, &training.state()), GDBENCH_OK);
  ASSERT_EQ(implementation_->run(instance_, 4), GDBENCH_OK);
  ASSERT_EQ(implementation_->get_state(instance_, &training.state()), GDBENCH_OK);
  EXPECT_EQ(training.state().step, 4);
  for (std::size_t tensor = 0; tensor < 2; ++tensor) {
    for (std::size_t i = 0; i < training.initial()[tensor].values.size(); ++i) {
      EXPECT_NEAR(training.state_values()[tensor].values[i], training.initial()[tensor].values[i] - 4 * 0.05 * 0.5,
                  tolerance());
    }
  }
  double loss = 0;
  EXPECT_EQ(implementation_->evaluate(instance_, 0, &loss), GDBENCH_UNSUPPORTED);
}

TEST_P(PluginTest, RecordingAnewIsForSeveralGradientsOnly) {
  int found = 0;
  for (std::int64_t i = 0; i < plugin_->implementation_count; ++i) {
    const gdbench_implementation& implementation = *plugin_->implementations[i];
    if (implementation.id != "tape/" + GetParam().backend + "+rerecord") continue;
    ++found;
    EXPECT_EQ(implementation.tasks, GDBENCH_BIT(GDBENCH_TASK_GRADIENTS));
  }
  EXPECT_EQ(found, 1);
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
  EXPECT_EQ(error_, "called before prepare");
  TrainingProblem training(small_case());
  const bool is_f32 = GetParam().dtype == catalogue::Dtype::f32;
  const std::int32_t other = is_f32 ? GDBENCH_F64 : GDBENCH_F32;
  training.mutable_problem().dtype = other;
  EXPECT_EQ(prepare(training),
            (implementation_->dtypes & GDBENCH_BIT(other)) != 0 ? GDBENCH_INVALID : GDBENCH_UNSUPPORTED);
  training.mutable_problem().dtype = static_cast<std::int32_t>(GetParam().dtype);
  training.mutable_problem().batch_rows = 4;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  training.mutable_problem().batch_rows = 3;
  training.mutable_problem().micro_batches = 0;
  EXPECT_EQ(prepare(training), GDBENCH_INVALID);
  training.mutable_problem().micro_batches = 1;
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

TEST(KernelLibraryTest, LooksBesideItsOwnFile) {
  // Relative where the test was started by a relative path.
  EXPECT_EQ(std::filesystem::weakly_canonical(backends::kernel_folder()),
            std::filesystem::weakly_canonical(GDBENCH_BINARY_DIR "/tests/kernels"));
}

}  // namespace
}  // namespace gdbench
