#include <gtest/gtest.h>

#include <vector>

#include "gdbench/plugin.h"
#include "harness/protocol/message_fields.h"
#include "harness/protocol/state_image.h"

namespace gdbench::protocol {
namespace {

DataMessage resident() {
  DataMessage message;
  message.dtype = catalogue::Dtype::f64;
  message.rows = 5;
  message.features = 3;
  message.outputs = 2;
  message.x = {64};
  message.y = {192};
  message.order = {320, 4};
  return message;
}

DataMessage streamed() {
  DataMessage message;
  message.source = DataSource::streamed;
  message.rows = 5;
  message.features = 2;
  message.outputs = 1;
  data::StreamFile& file = message.stream.emplace();
  file.path = "/data/rows.npy";
  file.format = catalogue::StreamFormat::npy;
  file.element = catalogue::Dtype::f64;
  file.column_count = 3;
  file.first_byte = 128;
  file.file_bytes = 248;
  file.modified_ns = 7;
  file.feature_columns = {0, 2};
  file.target_columns = {1};
  file.memory_cap_bytes = 4096;
  file.feature_means = {0.5, 1.5};
  return message;
}

nlohmann::json to_json(const DataMessage& message) {
  return nlohmann::json::parse(RecordWriter::encode(message).dump());
}

TEST(DataMessage, SurvivesTheJourney) {
  for (const DataMessage& sent : {resident(), streamed()}) {
    const nlohmann::json object = to_json(sent);
    const Result<DataMessage> received = message_from<DataMessage>(object, "data");
    ASSERT_TRUE(received.ok()) << received.error().message;
    EXPECT_EQ(to_json(received.value()), object);
    EXPECT_EQ(received->dtype, sent.dtype);
    EXPECT_EQ(received->order.has_value(), sent.order.has_value());
    EXPECT_EQ(received->y.has_value(), sent.y.has_value());
    EXPECT_EQ(received->stream.has_value(), sent.stream.has_value());
  }
}

// A worker must not take a name of a newer minor version for one that it knows.
TEST(DataMessage, UnknownNamesAreUnsupported) {
  const auto kind_with = [](nlohmann::json object, const char* pointer) {
    object[nlohmann::json::json_pointer(pointer)] = "strange";
    const Result<DataMessage> received = message_from<DataMessage>(object, "data");
    return received.ok() ? std::nullopt : std::optional(received.error().kind);
  };
  EXPECT_EQ(kind_with(to_json(resident()), "/source"), ErrorKind::unsupported);
  EXPECT_EQ(kind_with(to_json(resident()), "/dtype"), ErrorKind::unsupported);
  EXPECT_EQ(kind_with(to_json(streamed()), "/stream/format"), ErrorKind::unsupported);
  EXPECT_EQ(kind_with(to_json(streamed()), "/stream/element"), ErrorKind::unsupported);
}

TEST(DataMessage, AnElementThatIsNotNamedIsF32) {
  nlohmann::json object = to_json(streamed());
  object["stream"].erase("element");  // a CSV file has none
  EXPECT_EQ(message_from<DataMessage>(object, "data").value().stream->element, catalogue::Dtype::f32);
}

using scenario::Activation, scenario::Dtype, scenario::OptimizerKind, scenario::Problem;

Problem layers_of(Dtype dtype, OptimizerKind optimizer) {
  Problem problem;
  problem.dtype = dtype;
  problem.layers = {{.inputs = 3, .outputs = 5, .activation = Activation::tanh, .bias = true},
                    {.inputs = 5, .outputs = 2, .activation = Activation::identity, .bias = false}};
  problem.optimizer = {optimizer, {0.5, 0.25}};
  return problem;
}

TEST(StateLayout, AlignsEveryTensorAndKeepsThemApart) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const StateLayout layout = state_layout(layers_of(dtype, OptimizerKind::adam));
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

scenario::State counted_state(const Problem& problem) {
  scenario::State state;
  double value = 0.5;
  const auto shapes = scenario::parameter_shapes(problem);
  for (std::size_t block = 0; block < 1 + scenario::slot_count(problem.optimizer.kind); ++block) {
    for (const scenario::ParameterShape& shape : shapes) {
      std::vector<double> tensor(static_cast<std::size_t>(shape.size()));
      for (double& entry : tensor) entry = value += 1.25;
      (block == 0 ? state.parameters : state.slots).push_back(tensor);
    }
  }
  return state;
}

TEST(StateLayout, StateSurvivesItsImage) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Problem problem = layers_of(dtype, OptimizerKind::adam);
    const StateLayout layout = state_layout(problem);
    scenario::State written = counted_state(problem);
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
