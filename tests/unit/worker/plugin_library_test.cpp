#include "harness/worker/plugin_library.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/worker/profile_records.h"
#include "tests/unit/protocol/plugins.h"

namespace gdbench::worker {
namespace {

TEST(PluginLibrary, TakesWhatAnOlderPluginDoesNotHaveAsNull) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("older").string());
  ASSERT_TRUE(library.ok()) << library.error().message;
  const gdbench_implementation* implementation = library.value()->find("fake/older");
  ASSERT_NE(implementation, nullptr);
  EXPECT_EQ(library.value()->find("fake/other"), nullptr);
  EXPECT_NE(implementation->run, nullptr);
  EXPECT_EQ(implementation->evaluate, nullptr);
  EXPECT_EQ(implementation->profile, nullptr);
}

TEST(PluginLibrary, RefusesWhatIsNoPlugin) {
  EXPECT_EQ(PluginLibrary::open(protocol::fake_plugin("abi").string()).error().kind, ErrorKind::unsupported);
  for (const std::string& file : {protocol::fake_plugin("no_entry").string(), std::string("/nowhere/plugin.so"),
                                  std::string(GDBENCH_SOURCE_DIR "/CMakeLists.txt")}) {
    EXPECT_FALSE(PluginLibrary::open(file).ok()) << file;
  }
}

TEST(PluginLibrary, HandsOutAnErrorOnce) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("prepare_fails").string());
  const gdbench_implementation* implementation = library.value()->find("fake/prepare-fails");
  ASSERT_NE(implementation, nullptr);
  EXPECT_EQ(implementation->prepare(nullptr, nullptr, nullptr), GDBENCH_FAILED);
  EXPECT_EQ(library.value()->take_error("fallback"), "the accelerator is on fire");
  EXPECT_EQ(library.value()->take_error("fallback"), "fallback");
}

// Parameters w0 b0 w1.
scenario::Problem problem() {
  scenario::Problem problem;
  problem.layers = {{3, 5, scenario::Activation::tanh, true}, {5, 2, scenario::Activation::identity, false}};
  return problem;
}

constexpr gdbench_profile_record kProduct = {"product", GDBENCH_PHASE_BACKWARD, 0, 4, 80, 1, 2, 0};

gdbench_model_part part(std::int64_t first_layer, std::int64_t last_layer, std::int64_t first_parameter,
                        std::int64_t last_parameter, std::int32_t use) {
  return {sizeof(gdbench_model_part), first_layer, last_layer, first_parameter, last_parameter, use, 0};
}

Result<std::vector<protocol::OpTotals>> said(const gdbench_model_part& part) {
  ProfileRecords records;
  const gdbench_profile_sink sink = records.sink();
  sink.record_part(sink.context, &kProduct, &part);
  return records.totals(problem());
}

TEST(ProfileRecords, NameLayersAndParameters) {
  using Names = std::vector<std::string>;
  using Layers = std::vector<std::int64_t>;
  const protocol::OpTotals whole = said(part(0, 1, 0, 2, GDBENCH_UPDATES_PARAMETERS)).value().at(0);
  EXPECT_EQ(whole.layers, (Layers{0, 1}));
  EXPECT_EQ(whole.parameters, (Names{"w0", "b0", "w1"}));
  EXPECT_EQ(whole.use, catalogue::ParameterUse::updates);
  EXPECT_EQ(whole.op, "product");
  EXPECT_EQ(whole.phase, catalogue::Phase::backward);
  const protocol::OpTotals layer = said(part(1, 1, -1, -1, GDBENCH_READS_PARAMETERS)).value().at(0);
  EXPECT_EQ(layer.layers, Layers{1});
  EXPECT_TRUE(layer.parameters.empty());
  EXPECT_FALSE(layer.use);
}

// Older plugins name no part of the model.
TEST(ProfileRecords, TellTheDevicesClockFromTheHostsAndAddUpWhatIsLeftOut) {
  ProfileRecords records;
  const gdbench_profile_sink sink = records.sink();
  gdbench_profile_record record = kProduct;
  sink.record(sink.context, &record);
  record.device_clock = 1;
  sink.record(sink.context, &record);
  const std::vector<protocol::OpTotals> totals = records.totals(problem()).value();
  EXPECT_EQ(totals.at(0).calls, 4);
  EXPECT_TRUE(totals[0].layers.empty() && totals[0].parameters.empty() && !totals[0].use);
  EXPECT_EQ(totals.at(0).clock, catalogue::Clock::host);
  EXPECT_EQ(totals.at(1).clock, catalogue::Clock::device);
  EXPECT_EQ(records.left_out_ns(), 0);
  sink.leave_out(sink.context, 300);
  sink.leave_out(sink.context, -100);
  EXPECT_EQ(records.left_out_ns(), 200);
}

TEST(ProfileRecords, RefuseWhatTheProblemDoesNotHave) {
  EXPECT_EQ(said(part(0, 2, -1, -1, 0)).error().message,
            "profile: product: found layers 0 to 2, expected some of 0 to 1, or -1 to -1 for none");
  EXPECT_EQ(said(part(1, 0, -1, -1, 0)).error().message,
            "profile: product: found layers 1 to 0, expected some of 0 to 1, or -1 to -1 for none");
  EXPECT_EQ(said(part(-1, -1, 0, 3, 0)).error().message,
            "profile: product: found parameters 0 to 3, expected some of 0 to 2, or -1 to -1 for none");
  EXPECT_EQ(said(part(0, 0, 0, 0, 3)).error().message, "profile: product: found use 3 of parameters, expected 0 to 2");
}

}  // namespace
}  // namespace gdbench::worker
