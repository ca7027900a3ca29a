#include "harness/base/record_reader.h"

#include "harness/base/json.h"
#include "harness/base/json_reader.h"

namespace gdbench {

std::string Place::pointer() const {
  if (parent == nullptr) return std::string(key);
  const std::string part = key.empty() ? std::to_string(index) : pointer_part(std::string(key));
  return parent->pointer() + "/" + part;
}

void RecordReader::refuse(const Json& found, const Place& place, const std::string& expected, Context& context) {
  if (context.error) return;
  const std::string pointer = place.pointer();
  context.error = {context.mistake, context.origin + ": " + (pointer.empty() ? "" : pointer + ": ") + "found " +
                                        describe(found) + ", expected " + expected};
}

const Json* RecordReader::find(const char* key, bool required) {
  if (context_.error) return nullptr;
  known_.emplace_back(key);
  const auto entry = object_.find(key);
  if (entry != object_.end()) return &*entry;
  if (required) {
    const Place missing{&place_, key};
    context_.error = {context_.mistake,
                      context_.origin + ": " + missing.pointer() + ": found nothing, expected this key"};
  }
  return nullptr;
}

void RecordReader::number_or_null(const char* key, double& target) {
  const Json* value = find(key, true);
  if (value == nullptr) return;
  target = std::numeric_limits<double>::quiet_NaN();
  if (!value->is_null()) decode(*value, {&place_, key}, target, context_);
}

void RecordReader::text(const char* key, std::string& target) {
  const Json* value = find(key, true);
  if (value == nullptr) return;
  if (!value->is_object()) return refuse(*value, {&place_, key}, "an object", context_);
  target = compact(*value);
}

void RecordReader::finish() {
  if (context_.error || context_.ignore_unknown) return;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return refuse(value, {&place_, key}, "no such key", context_);
    }
  }
}

void RecordReader::decode(const Json& value, const Place& place, bool& target, Context& context) {
  if (!value.is_boolean()) return refuse(value, place, "true or false", context);
  target = value.get<bool>();
}

void RecordReader::decode(const Json& value, const Place& place, double& target, Context& context) {
  if (value.is_null() && context.null_is_nan) {
    target = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!value.is_number()) return refuse(value, place, "a number", context);
  target = value.get<double>();
}

void RecordReader::decode(const Json& value, const Place& place, std::string& target, Context& context) {
  if (!value.is_string()) return refuse(value, place, "a string", context);
  target = value.get<std::string>();
}

void RecordReader::decode(const Json& value, const Place& place, std::filesystem::path& target, Context& context) {
  std::string text;
  decode(value, place, text, context);
  target = text;
}

void RecordReader::decode(const Json& value, const Place& place, std::map<std::string, std::string>& target,
                          Context& context) {
  if (!value.is_object()) return refuse(value, place, "an object", context);
  target.clear();
  for (const auto& [key, text] : value.items()) {
    decode(text, {&place, key}, target[key], context);
    if (context.error) return;
  }
}

}  // namespace gdbench
