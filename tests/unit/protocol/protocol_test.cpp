// Messages between the coordinator and workers, and images of states.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/protocol/message_fields.h"
#include "harness/protocol/state_image.h"

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

const char* const kResident =
    R"({"source": "resident", "dtype": "f64", "rows": 5, "features": 3, "outputs": 2, "x": {"offset": 64},
        "y": {"offset": 192}, "order": {"offset": 320, "epochs": 4}})";
const char* const kStreamed =
    R"({"source": "streamed", "dtype": "f32", "rows": 5, "features": 2, "outputs": 1,
        "stream": {"path": "/data/rows.npy", "format": "npy", "element": "f64", "column_count": 3,
                   "feature_columns": [0, 2], "target_columns": [1], "first_byte": 128, "file_bytes": 248,
                   "modified_ns": 7, "memory_cap_bytes": 4096, "feature_means": [0.5, 1.5]}})";

// What is received.
template <class Message>
Message expect_survives(const Message& sent) {
  const Result<Message> received = message_from<Message>(json_of(sent), "message");
  EXPECT_TRUE(received.ok()) << received.error().message;
  EXPECT_EQ(json_of(received.value()), json_of(sent));
  return received.value();
}

TEST(Protocol, ProblemSurvivesTheJourney) {
  Problem sent = two_layers(Dtype::f64);
  sent.optimizer.learning_rates = {0.1, 1.0 / 3, std::nextafter(0.05, 1.0), std::numeric_limits<double>::denorm_min()};
  const Problem received = expect_survives(sent);
  EXPECT_EQ(received.layers.size(), 2U);
  EXPECT_EQ(received.layers[0].activation, Activation::tanh);
  EXPECT_FALSE(received.layers[1].bias);
  EXPECT_EQ(received.loss.kind, Loss::softmax_cross_entropy);
  EXPECT_EQ(received.rows, 11);
  EXPECT_EQ(received.batch_rows, 4);
  EXPECT_EQ(received.optimizer.learning_rates, sent.optimizer.learning_rates) << "exactly";
}

TEST(Protocol, DataSurviveTheJourney) {
  for (const char* text : {kResident, kStreamed}) {
    const nlohmann::json sent = nlohmann::json::parse(text);
    EXPECT_EQ(json_of(message_from<DataMessage>(sent, "data").value()), sent);
  }
  nlohmann::json object = nlohmann::json::parse(kStreamed);
  object["stream"].erase("element");  // a CSV file has none
  EXPECT_EQ(message_from<DataMessage>(object, "data").value().stream->element, Dtype::f32);
}

// A worker must not take a name of a newer minor version for one that it knows.
template <class Message>
void expect_unsupported(const nlohmann::json& message, const std::vector<std::string>& pointers) {
  for (const std::string& pointer : pointers) {
    nlohmann::json strange = message;
    strange[nlohmann::json::json_pointer(pointer)] = "strange";
    EXPECT_EQ(message_from<Message>(strange, "message").error().kind, ErrorKind::unsupported) << pointer;
  }
}

TEST(Protocol, UnknownNamesAreUnsupportedAndUnknownFieldsIgnored) {
  nlohmann::json problem = json_of(two_layers(Dtype::f32));
  expect_unsupported<Problem>(problem, {"/task", "/dtype", "/loss", "/layers/1/activation"});
  expect_unsupported<DataMessage>(nlohmann::json::parse(kResident), {"/source", "/dtype"});
  expect_unsupported<DataMessage>(nlohmann::json::parse(kStreamed), {"/stream/format", "/stream/element"});
  problem["from_the_future"] = {1, 2};
  EXPECT_TRUE(message_from<Problem>(problem, "problem").ok());
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
  const nlohmann::json sent = nlohmann::json::parse(R"({
    "protocol": {"major": 1, "minor": 4}, "worker": {"build": "0.1.0 abc"},
    "plugin": {"name": "mine", "version": "2.1"},
    "implementations": [{
      "id": "mine/loop", "description": "a loop", "build": "b", "tasks": ["train", "floor"], "dtypes": ["f64"],
      "activations": ["relu"], "losses": ["huber"], "optimizers": ["adam"], "capabilities": ["shuffle"],
      "max_layers": 2, "max_compute_threads": 0, "helper_threads": 1, "epsilon_places": {"adam": "hat"},
      "unavailable": "not here", "options": [
        {"key": "tile", "type": "integer", "default": "8", "choices": [], "description": "rows"},
        {"key": "mode", "type": "choice", "default": "a", "choices": ["a", "b"], "description": "which"},
        {"key": "parts", "type": "switches", "default": "all", "choices": ["c", "d"], "description": "what"}]}]})");
  const HelloAnswer received = message_from<HelloAnswer>(sent, "hello").value();
  EXPECT_EQ(json_of(received), sent);
  EXPECT_TRUE(received.implementations[0].has_capability("shuffle"));
  EXPECT_FALSE(received.implementations[0].has_capability("stream"));
}

TEST(Protocol, HelloFillsInWhatIsLeftOut) {
  const Result<HelloAnswer> received = message_from<HelloAnswer>(
      {{"protocol", {{"major", 1}, {"minor", 0}}}, {"implementations", {{{"id", "a/b"}, {"unknown", 1}}}}}, "hello");
  const nlohmann::json filled = nlohmann::json::parse(R"({
    "id": "a/b", "description": "", "build": "", "tasks": ["train"], "dtypes": ["f32"], "activations": ["identity"],
    "losses": ["mse"], "optimizers": ["sgd"], "capabilities": [], "max_layers": 0, "max_compute_threads": 1,
    "helper_threads": 0, "options": [], "epsilon_places": {}, "unavailable": ""})");
  EXPECT_EQ(json_of(received.value().implementations.at(0)), filled);
}

// Every message that a request or its answer is, with what a message of an older minor version leaves out.
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

TEST(StateLayout, AlignsEveryTensorAndKeepsThemApart) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const StateLayout layout = state_layout(two_layers(dtype, OptimizerKind::adam));
    ASSERT_EQ(layout.parameters.size(), 3U);  // w0 b0 w1
    ASSERT_EQ(layout.slots.size(), 6U);       // two slots of each
    std::vector<StateLayout::Entry> all = layout.parameters;
    all.insert(all.end(), layout.slots.begin(), layout.slots.end());
    std::size_t end = 0;
    for (const StateLayout::Entry& entry : all) {
      EXPECT_EQ(entry.offset % GDBENCH_ALIGNMENT, 0U);
      EXPECT_GE(entry.offset, end);
      end = entry.offset + static_cast<std::size_t>(entry.size()) * scenario::size_of(dtype);
    }
    EXPECT_GE(layout.image_bytes, end);
    EXPECT_EQ(layout.image_bytes % GDBENCH_ALIGNMENT, 0U);
  }
}

TEST(StateLayout, StateSurvivesItsImage) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const StateLayout layout = state_layout(two_layers(dtype, OptimizerKind::adam));
    scenario::State written;
    double value = 0.5;
    const auto add_tensors = [&](const std::vector<StateLayout::Entry>& entries, auto& tensors) {
      for (const StateLayout::Entry& entry : entries) {
        for (double& x : tensors.emplace_back(static_cast<std::size_t>(entry.size()))) x = value += 1.25;
      }
    };
    add_tensors(layout.parameters, written.parameters);
    add_tensors(layout.slots, written.slots);
    written.parameters[0][0] = dtype == Dtype::f64 ? 0.1 : static_cast<double>(0.1F);  // is rounded no further
    std::vector<std::byte> image(layout.image_bytes);
    write_state(written, layout, dtype, image.data());
    const scenario::State read = read_state(layout, dtype, image.data(), 17);
    EXPECT_EQ(read.step, 17);
    EXPECT_EQ(read.parameters, written.parameters);
    EXPECT_EQ(read.slots, written.slots);
  }
}

}  // namespace
}  // namespace gdbench::protocol
