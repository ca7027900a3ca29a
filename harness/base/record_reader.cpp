#include "harness/base/record_reader.h"

#include <limits>

namespace gdbench {

std::string Place::pointer() const {
  if (key) return cat(above, "/", pointer_part(std::string(*key)));
  return index ? cat(above, "/", *index) : std::string(above);
}

void RecordReader::number_or_null(const char* key, double& target) {
  target = std::numeric_limits<double>::quiet_NaN();
  if (const Json* value = JsonReader::member(key); value == nullptr || !value->is_null()) field(key, target);
}

void RecordReader::text(const char* key, std::string& target) {
  const Json* value = required_member(key, true, "this key");
  if (value == nullptr) return;
  if (!value->is_object()) return fail(key, "an object");
  target = compact(*value);
}

void RecordReader::decode(const Json& value, const Place& place, bool& target, JsonDocument& document) {
  if (!value.is_boolean()) return refuse(value, place, "true or false", document);
  target = value.get<bool>();
}

void RecordReader::decode(const Json& value, const Place& place, double& target, JsonDocument& document) {
  const bool is_nan = value.is_null() && document.rules().null_is_nan;
  if (!is_nan && !value.is_number()) return refuse(value, place, "a number", document);
  target = is_nan ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

void RecordReader::decode(const Json& value, const Place& place, std::string& target, JsonDocument& document) {
  if (!value.is_string()) return refuse(value, place, "a string", document);
  target = value.get<std::string>();
}

void RecordReader::decode(const Json& value, const Place& place, std::filesystem::path& target,
                          JsonDocument& document) {
  std::string text;
  decode(value, place, text, document);
  target = text;
}

void RecordReader::decode(const Json& value, const Place& place, std::map<std::string, std::string>& target,
                          JsonDocument& document) {
  if (!value.is_object()) return refuse(value, place, "an object", document);
  target.clear();
  const std::string pointer = place.pointer();
  for (const auto& [key, text] : value.items()) decode(text, {pointer, key, {}}, target[key], document);
}

}  // namespace gdbench
