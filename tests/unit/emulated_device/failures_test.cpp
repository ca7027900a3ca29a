// Every call of the runtime that an instance makes fails once: that is said, and nothing stays behind.
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/worker/plugin_library.h"
#include "tests/fakes/emulated_device/control.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench {
namespace {

struct Scenario {
  const char* implementation;
  TrainingCase values;
  std::vector<gdbench_option_value> options = {};
};

TrainingCase small(catalogue::Dtype dtype = catalogue::Dtype::f64) {
  return {.layers = {layer(3, 2, catalogue::Activation::relu), layer(2, 1)},
          .dtype = dtype,
          .rows = 7,
          .batch_rows = 3,
          .shuffled = true,
          .optimizer = {catalogue::OptimizerKind::adam, 0, false}};
}

TrainingCase one_layer(std::int64_t outputs, std::int64_t rows) {
  return {.layers = {layer(2, outputs)}, .rows = rows, .batch_rows = rows};
}

std::vector<Scenario> scenarios() {
  return {
      {"hand/emulated_cuda", small()},
      {"hand/emulated_cuda", one_layer(1, 5000)},  // more than a block adds up: they need memory
      {"hand/emulated_cuda", small(catalogue::Dtype::f16)},
      {"hand/emulated_cuda", small(), {{"transfer", "pageable"}}},
      {"hand/emulated_cuda", small(), {{"transfer", "pinned"}}},
      {"tape/emulated_cuda", small()},
      {"graph/emulated_cuda", small()},
      {"graph/emulated_cuda+device-graph", small()},
      {"fused/emulated_cuda", small()},
      {"fused/emulated_cuda", one_layer(3, 128)},  // blocks share the batch
  };
}

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.implementation; }

const std::string kFolder = std::string(GDBENCH_BINARY_DIR) + "/tests/fakes/emulated/";

worker::PluginLibrary& plugin() {
  static const auto library = worker::PluginLibrary::open(kFolder + "libgdbench_emulated_cuda.so");
  if (!library.ok()) throw std::runtime_error(library.error().message);
  return **library;
}

// Of the device that the plugin's kernels run on.
EmulatedControl& control_of_plugin() {
  plugin();
  void* kernels = dlopen((kFolder + "kernels/libgdbench_kernels_emulated_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (kernels == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<EmulatedControl* (*)()>(dlsym(kernels, kEmulatedControlName))();
}

struct Outcome {
  gdbench_status status = GDBENCH_OK;
  std::string during;              // the plugin's function in which the runtime's call failed
  std::string failed;              // and the one that said so
  std::string message;             // what it said
  std::uint64_t calls_to_use = 0;  // of the runtime, before the instance is destroyed
  std::uint64_t calls = 0;         // and with that
};

class InstanceFailuresTest : public testing::Test {
 protected:
  // Everything that a host does with an instance, up to what fails.
  Outcome used(const Scenario& scenario) {
    TrainingProblem training(scenario.values);
    training.set_options(scenario.options);
    const gdbench_implementation& tested = *plugin().find(scenario.implementation);
    const gdbench_profile_sink sink{sizeof(sink), nullptr, [](void*, const gdbench_profile_record*) {},
                                    [](void*, const gdbench_profile_record*, const gdbench_model_part*) {},
                                    [](void*, double) {}};
    gdbench_instance* instance = nullptr;
    double loss = 0;
    plugin().take_error("");  // of the one before
    control_.calls = 0;
    Outcome outcome;
    const auto does = [&](const char* function, const auto& call) {
      if (outcome.status != GDBENCH_OK) return;
      outcome.status = call();
      if (outcome.during.empty() && !control_.failed.empty()) outcome.during = function;
      if (outcome.status != GDBENCH_OK) outcome.failed = function;
    };
    does("create", [&] { return tested.create(&instance); });
    does("load", [&] { return tested.load(instance, &training.data()); });
    does("prepare", [&] { return tested.prepare(instance, &training.problem(), &training.settings()); });
    does("set_state", [&] { return tested.set_state(instance, &training.state()); });
    does("run", [&] { return tested.run(instance, 4); });
    does("sync", [&] { return tested.sync(instance); });
    does("get_state", [&] { return tested.get_state(instance, &training.state()); });
    does("evaluate", [&] { return tested.evaluate(instance, 0, &loss); });
    does("evaluate", [&] { return tested.evaluate(instance, 1, &loss); });
    does("profile", [&] { return tested.profile(instance, 2, &sink); });
    outcome.calls_to_use = control_.calls;
    outcome.message = plugin().take_error("");
    if (instance != nullptr) tested.destroy(instance);
    outcome.calls = control_.calls;
    return outcome;
  }

  void expect_nothing_left() {
    EXPECT_EQ(control_.device_allocations, 0);
    EXPECT_EQ(control_.host_allocations, 0);
    EXPECT_EQ(control_.streams, 0);
    EXPECT_EQ(control_.events, 0);
    EXPECT_EQ(control_.graphs, 0);
    EXPECT_EQ(control_.misuses, 0U);
    EXPECT_EQ(control_.last_error, 0) << "the next launch would be blamed for it";
  }

  EmulatedControl& control_ = control_of_plugin();
};

class FailuresTest : public InstanceFailuresTest, public testing::WithParamInterface<Scenario> {};

// cuBLAS's, which only large products call.
TEST_F(InstanceFailuresTest, OfALibraryAreSaid) {
  const Scenario large{"hand/emulated_cuda", {.layers = {layer(300, 200)}, .rows = 100, .batch_rows = 100}};
  for (const char* call : {"cublasLtCreate", "cublasLtMatmul"}) {
    control_.failure = {.call = call, .number = 1};
    const Outcome outcome = used(large);
    EXPECT_NE(outcome.status, GDBENCH_OK);
    EXPECT_NE(outcome.message.find(call == std::string("cublasLtCreate") ? call : "cuBLAS refuses"), std::string::npos)
        << outcome.message;
    expect_nothing_left();
  }
}

TEST_F(InstanceFailuresTest, OfADeviceWithoutCooperativeLaunchesIsARefusal) {
  control_.cooperative = false;
  const Outcome outcome = used({"fused/emulated_cuda", small()});
  control_.cooperative = true;
  EXPECT_EQ(outcome.status, GDBENCH_UNSUPPORTED);
  EXPECT_EQ(outcome.message, "cuda: the device has no launches whose blocks can wait for each other");
  expect_nothing_left();
}

TEST_P(FailuresTest, AreSaidAndLeaveNothingBehind) {
  const Outcome right = used(GetParam());
  ASSERT_EQ(right.status, GDBENCH_OK) << right.failed << ": " << right.message;
  expect_nothing_left();
  for (const bool lasting : {false, true}) {
    for (std::uint64_t number = 1; number <= right.calls && !HasFailure(); ++number) {
      control_.failed.clear();
      control_.last_error = 0;
      control_.failure = {.number = number, .lasting = lasting};
      const Outcome outcome = used(GetParam());
      ASSERT_FALSE(control_.failed.empty());
      SCOPED_TRACE("call " + std::to_string(number) + " (" + control_.failed.front() + ")" +
                   (lasting ? " and all that follow" : "") + ", " + outcome.failed + ": " + outcome.message);
      expect_nothing_left();
      // destroy has no caller to report it to, and nothing is wrong with what a graph was made into.
      if (number > right.calls_to_use || control_.failed == std::vector<std::string>{"cudaGraphDestroy"}) continue;
      EXPECT_TRUE(outcome.failed == outcome.during || (outcome.during == "run" && outcome.failed == "sync"));
      EXPECT_NE(outcome.message.find(": cudaError"), std::string::npos);
    }
    control_.failure = {};
    // Nor is the next instance blamed for it.
    const Outcome next = used(GetParam());
    EXPECT_EQ(next.status, GDBENCH_OK) << next.failed << ": " << next.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, FailuresTest, testing::ValuesIn(scenarios()));

}  // namespace
}  // namespace gdbench
