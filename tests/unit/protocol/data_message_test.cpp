#include <gtest/gtest.h>

#include "harness/protocol/message_fields.h"

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

}  // namespace
}  // namespace gdbench::protocol
