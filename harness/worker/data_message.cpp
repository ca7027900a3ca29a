#include "harness/worker/data_message.h"

#include <vector>

#include "harness/worker/json_names.h"

namespace gdbench::worker {
namespace {

using nlohmann::json;

// Members of the same name in a message and in a StreamFile; the second list is left out where it is empty.
template <class File, class Visit>
void for_each_number(File& file, Visit visit) {
  visit("column_count", file.column_count);
  visit("feature_columns", file.feature_columns);
  visit("target_columns", file.target_columns);
  visit("first_byte", file.first_byte);
  visit("file_bytes", file.file_bytes);
  visit("modified_ns", file.modified_ns);
  visit("memory_cap_bytes", file.memory_cap_bytes);
}
template <class File, class Visit>
void for_each_moment(File& file, Visit visit) {
  visit("feature_means", file.feature_means);
  visit("feature_scales", file.feature_scales);
  visit("target_means", file.target_means);
  visit("target_scales", file.target_scales);
}

json stream_to_json(const scenario::StreamFile& file) {
  json object = {{"path", file.path.string()}, {"format", name_of(file.format)}, {"element", name_of(file.element)}};
  for_each_number(file, [&](const char* key, const auto& value) { object[key] = value; });
  for_each_moment(file, [&](const char* key, const auto& values) {
    if (!values.empty()) object[key] = values;
  });
  return object;
}

Result<scenario::StreamFile> stream_from_json(const json& object) {
  scenario::StreamFile file;
  file.path = object.at("path").get<std::string>();
  const auto format = catalogued<catalogue::StreamFormat>(object, "format");
  if (!format.ok()) return format.error();
  file.format = format.value();
  if (object.contains("element")) {
    const auto element = catalogued<catalogue::Dtype>(object, "element");
    if (!element.ok()) return element.error();
    file.element = element.value();
  }
  for_each_number(file, [&](const char* key, auto& value) { object.at(key).get_to(value); });
  for_each_moment(file, [&](const char* key, auto& values) { values = object.value(key, values); });
  return file;
}

void read_resident(const json& object, DataMessage& message) {
  message.x_offset = object.at("x").at("offset").get<std::size_t>();
  message.has_labels = object.contains("labels");
  message.target_offset = object.at(message.has_labels ? "labels" : "y").at("offset").get<std::size_t>();
  if (object.contains("order")) {
    message.epochs = object.at("order").at("epochs").get<std::int64_t>();
    message.order_offset = object.at("order").at("offset").get<std::size_t>();
  }
}

}  // namespace

DataMessage describe(const scenario::Dataset& dataset) {
  DataMessage message;
  message.dtype = dataset.dtype;
  message.rows = dataset.rows;
  message.features = dataset.features;
  message.outputs = dataset.outputs;
  if (dataset.stream) {
    message.stream = dataset.stream->file();
    return message;
  }
  message.x_offset = dataset.x_offset;
  message.target_offset = dataset.target_offset;
  message.has_labels = dataset.has_labels;
  message.epochs = dataset.has_order ? dataset.epochs : 0;
  message.order_offset = dataset.order_offset;
  return message;
}

json to_json(const DataMessage& message) {
  json object = {{"source", message.stream ? "streamed" : "resident"},
                 {"dtype", name_of(message.dtype)},
                 {"rows", message.rows},
                 {"features", message.features},
                 {"outputs", message.outputs}};
  if (message.stream) {
    object["stream"] = stream_to_json(*message.stream);
    return object;
  }
  object["x"] = {{"offset", message.x_offset}};
  object[message.has_labels ? "labels" : "y"] = {{"offset", message.target_offset}};
  if (message.epochs > 0) object["order"] = {{"offset", message.order_offset}, {"epochs", message.epochs}};
  return object;
}

Result<DataMessage> data_from_json(const json& object) {
  const std::string source = object.at("source").get<std::string>();
  if (source != "resident" && source != "streamed") {
    return unsupported("data source \"" + source + "\" is unknown to this worker");
  }
  DataMessage message;
  const auto dtype = catalogued<catalogue::Dtype>(object, "dtype");
  if (!dtype.ok()) return dtype.error();
  message.dtype = dtype.value();
  message.rows = object.at("rows").get<std::int64_t>();
  message.features = object.at("features").get<std::int64_t>();
  message.outputs = object.at("outputs").get<std::int64_t>();
  if (source == "resident") {
    read_resident(object, message);
    return message;
  }
  Result<scenario::StreamFile> stream = stream_from_json(object.at("stream"));
  if (!stream.ok()) return stream.error();
  message.stream = std::move(stream).value();
  return message;
}

}  // namespace gdbench::worker
