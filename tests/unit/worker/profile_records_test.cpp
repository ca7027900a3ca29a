#include "harness/worker/profile_records.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gdbench::worker {
namespace {

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

Result<nlohmann::json> said(const gdbench_model_part& part) {
  ProfileRecords records;
  const gdbench_profile_sink sink = records.sink();
  sink.record_part(sink.context, &kProduct, &part);
  return records.to_json(problem());
}

TEST(ProfileRecords, NameLayersAndParameters) {
  const nlohmann::json whole = said(part(0, 1, 0, 2, GDBENCH_UPDATES_PARAMETERS)).value().at(0);
  EXPECT_EQ(whole["layers"], nlohmann::json({0, 1}));
  EXPECT_EQ(whole["parameters"], nlohmann::json({"w0", "b0", "w1"}));
  EXPECT_EQ(whole["use"], "updates");
  EXPECT_EQ(whole["op"], "product");
  EXPECT_EQ(whole["phase"], "backward");
  const nlohmann::json layer = said(part(1, 1, -1, -1, GDBENCH_READS_PARAMETERS)).value().at(0);
  EXPECT_EQ(layer["layers"], nlohmann::json({1}));
  EXPECT_FALSE(layer.contains("parameters") || layer.contains("use"));
}

TEST(ProfileRecords, OfOlderPluginsNameNothing) {
  ProfileRecords records;
  const gdbench_profile_sink sink = records.sink();
  sink.record(sink.context, &kProduct);
  const nlohmann::json record = records.to_json(problem()).value().at(0);
  EXPECT_EQ(record["calls"], 4);
  EXPECT_FALSE(record.contains("layers") || record.contains("parameters") || record.contains("use"));
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
