#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/protocol/message_fields.h"

namespace gdbench::protocol {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::OptimizerKind, scenario::Problem, scenario::Task;

template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(same(OptionType::boolean, GDBENCH_OPTION_BOOL) && same(OptionType::integer, GDBENCH_OPTION_INTEGER) &&
              same(OptionType::number, GDBENCH_OPTION_NUMBER) && same(OptionType::choice, GDBENCH_OPTION_CHOICE) &&
              same(OptionType::string, GDBENCH_OPTION_STRING) && same(OptionType::switches, GDBENCH_OPTION_SWITCHES));

template <class Message>
nlohmann::json json_of(const Message& message) {
  return nlohmann::json::parse(RecordWriter::encode(message).dump());
}

Problem two_layers(Dtype dtype, OptimizerKind optimizer = OptimizerKind::sgd) {
  Problem problem;
  problem.dtype = dtype;
  problem.layers = {{.inputs = 3, .outputs = 5, .activation = Activation::tanh, .bias = true},
                    {.inputs = 5, .outputs = 2, .activation = Activation::identity, .bias = false}};
  problem.loss = Loss::softmax_cross_entropy;
  problem.rows = 11;
  problem.batch_rows = 4;
  problem.optimizer = {optimizer, {0.5, 0.25}};
  return problem;
}

TEST(Protocol, ProblemSurvivesTheJourney) {
  Problem sent = two_layers(Dtype::f64);
  sent.optimizer.learning_rates = {0.1, 1.0 / 3, std::nextafter(0.05, 1.0), std::numeric_limits<double>::denorm_min()};
  const Result<Problem> received = message_from<Problem>(json_of(sent), "problem");
  ASSERT_TRUE(received.ok()) << received.error().message;
  EXPECT_EQ(json_of(received.value()), json_of(sent));
  EXPECT_EQ(received->layers.size(), 2U);
  EXPECT_EQ(received->layers[0].activation, Activation::tanh);
  EXPECT_FALSE(received->layers[1].bias);
  EXPECT_EQ(received->loss.kind, Loss::softmax_cross_entropy);
  EXPECT_EQ(received->rows, 11);
  EXPECT_EQ(received->batch_rows, 4);
  EXPECT_EQ(received->optimizer.learning_rates, sent.optimizer.learning_rates) << "exactly";
}

TEST(Protocol, UnknownNamesAreUnsupportedAndUnknownFieldsIgnored) {
  nlohmann::json json = json_of(two_layers(Dtype::f32));
  json["from_the_future"] = {1, 2};
  EXPECT_TRUE(message_from<Problem>(json, "problem").ok());
  for (const char* key : {"task", "dtype", "loss"}) {
    nlohmann::json strange = json;
    strange[key] = "strange";
    const Result<Problem> received = message_from<Problem>(strange, "problem");
    EXPECT_EQ(received.error().kind, ErrorKind::unsupported) << key;
  }
  json["layers"][1]["activation"] = "strange";
  EXPECT_EQ(message_from<Problem>(json, "problem").error().kind, ErrorKind::unsupported);
}

TEST(Protocol, MalformedProblemsAreErrors) {
  const nlohmann::json good = json_of(two_layers(Dtype::f32));
  for (const char* key : {"task", "dtype", "layers", "loss", "rows", "batch_rows", "optimizer"}) {
    nlohmann::json bad = good;
    bad.erase(key);
    EXPECT_FALSE(message_from<Problem>(bad, "problem").ok()) << "without " << key;
    bad[key] = nlohmann::json::array();
    EXPECT_FALSE(message_from<Problem>(bad, "problem").ok()) << "an array for " << key;
  }
  nlohmann::json bad = good;
  bad["optimizer"]["learning_rates"] = nlohmann::json::array();
  EXPECT_FALSE(message_from<Problem>(bad, "problem").ok());
  EXPECT_FALSE(message_from<Problem>("text", "problem").ok());
}

TEST(Protocol, HelloSurvivesTheJourney) {
  HelloAnswer sent{{1, 4}, {"0.1.0 abc"}, {"mine", "2.1"}, {}};
  ImplementationDescription implementation;
  implementation.id = "mine/loop";
  implementation.tasks = {"train", "floor"};
  implementation.capabilities = {"shuffle"};
  implementation.max_compute_threads = 0;
  implementation.options = {{"tile", OptionType::integer, "8", {}, "rows"},
                            {"mode", OptionType::choice, "a", {"a", "b"}, "which"},
                            {"parts", OptionType::switches, "all", {"c", "d"}, "what"}};
  sent.implementations = {implementation};
  const Result<HelloAnswer> received = message_from<HelloAnswer>(json_of(sent), "hello");
  ASSERT_TRUE(received.ok()) << received.error().message;
  EXPECT_EQ(json_of(received.value()), json_of(sent));
  EXPECT_TRUE(received->implementations[0].has_capability("shuffle"));
  EXPECT_FALSE(received->implementations[0].has_capability("stream"));
  EXPECT_EQ(received->implementations[0].options[1].choices, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(received->implementations[0].options[2].type, OptionType::switches);
}

TEST(Protocol, HelloFillsInWhatIsLeftOut) {
  const Result<HelloAnswer> received = message_from<HelloAnswer>(
      {{"protocol", {{"major", 1}, {"minor", 0}}}, {"implementations", {{{"id", "a/b"}, {"unknown", 1}}}}}, "hello");
  ASSERT_TRUE(received.ok()) << received.error().message;
  const ImplementationDescription& implementation = received->implementations.at(0);
  EXPECT_EQ(implementation.tasks, std::vector<std::string>{"train"});
  EXPECT_EQ(implementation.dtypes, std::vector<std::string>{"f32"});
  EXPECT_EQ(implementation.activations, std::vector<std::string>{"identity"});
  EXPECT_EQ(implementation.losses, std::vector<std::string>{"mse"});
  EXPECT_EQ(implementation.optimizers, std::vector<std::string>{"sgd"});
  EXPECT_EQ(implementation.max_compute_threads, 1);
}

// Every message that a request or its answer is, with what a message of an older minor version leaves out.
template <class Message>
void expect_survives(const Message& sent) {
  const Result<Message> received = message_from<Message>(json_of(sent), "message");
  ASSERT_TRUE(received.ok()) << received.error().message;
  EXPECT_EQ(json_of(received.value()), json_of(sent));
}

template <class... Request>
void expect_all_survive(std::tuple<Request...>* /*all*/) {
  const auto expect_both = [](auto request) {
    if constexpr (requires { request.problem; }) request.problem = two_layers(Dtype::f64);
    expect_survives(request);
    expect_survives(typename decltype(request)::Answer());
  };
  (expect_both(Request()), ...);
}

TEST(Protocol, EveryMessageSurvivesTheJourney) { expect_all_survive(static_cast<Requests*>(nullptr)); }

TEST(Protocol, AMistakeSaysWhereItIs) {
  nlohmann::json json = json_of(ProfileAnswer{.real_ns = 5, .records = {{.op = "product", .time_ns = 3}}});
  json["records"][0]["time_ns"] = nullptr;
  EXPECT_EQ(message_from<ProfileAnswer>(json, "profile").error().message,
            "profile: /records/0/time_ns: found null, expected a number");
  json["records"][0]["time_ns"] = 3;
  json["records"][0]["phase"] = "of the future";
  EXPECT_EQ(message_from<ProfileAnswer>(json, "profile").value().records[0].phase, catalogue::Phase::other);
  json["records"][0].erase("phase");
  EXPECT_EQ(message_from<ProfileAnswer>(json, "profile").error().message,
            "profile: /records/0/phase: found nothing, expected this key");
}

TEST(Protocol, WhatIsOnlyShownMayBeUnreadable) {
  const nlohmann::json json = {{"helper_threads", "two"}, {"runtime", 7}, {"import_ns", 12}};
  const Result<PrepareAnswer> answer = message_from<PrepareAnswer>(json, "prepare");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_FALSE(answer->helper_threads || answer->runtime);
  EXPECT_EQ(answer->import_ns, 12);
}

TEST(Protocol, MalformedHelloIsAnError) {
  const nlohmann::json protocol = {{"major", 1}, {"minor", 0}};
  for (const nlohmann::json& answer :
       {nlohmann::json::object(), nlohmann::json{{"protocol", protocol}},
        nlohmann::json{{"protocol", protocol}, {"implementations", {{{"description", "no id"}}}}},
        nlohmann::json{{"protocol", protocol}, {"implementations", {{{"id", 3}}}}},
        nlohmann::json{{"protocol", "1"}, {"implementations", nlohmann::json::array()}},
        nlohmann::json{{"protocol", protocol}, {"implementations", {{{"id", "a/b"}, {"dtypes", "f32"}}}}},
        nlohmann::json{{"protocol", protocol}, {"plugin", 1}, {"implementations", nlohmann::json::array()}}}) {
    EXPECT_FALSE(message_from<HelloAnswer>(answer, "hello").ok()) << answer.dump();
  }
}

}  // namespace
}  // namespace gdbench::protocol
