// Turns the report's structs into JSON by walking the lists of fields.h.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/result/fields.h"

namespace gdbench::result {

// Keys in the order of fields.h, so that a written report is read from the top.
using OrderedJson = nlohmann::ordered_json;

class RecordWriter {
 public:
  template <class T>
  using Ref = const T&;

  template <class T>
  void field(const char* key, const T& value) {
    object_[key] = encode(value);
  }
  template <class T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) object_[key] = encode(*value);
  }
  void text(const char* key, const std::string& value) { object_[key] = OrderedJson::parse(value); }
  OrderedJson take() { return std::move(object_); }

  template <class T>
  static OrderedJson encode(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);  // JSON has neither NaN nor infinity
    } else if constexpr (std::is_enum_v<T>) {
      return name_of(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                         std::is_same_v<T, std::map<std::string, std::string>>) {
      return OrderedJson(value);
    } else if constexpr (std::is_same_v<T, ResolvedScenario>) {
      return OrderedJson::parse(value.text);
    } else {
      RecordWriter writer;
      fields(writer, value);
      return writer.take();
    }
  }

  template <class T>
  static OrderedJson encode(const std::vector<T>& values) {
    OrderedJson array = OrderedJson::array();
    for (const T& value : values) array.push_back(encode(value));
    return array;
  }

 private:
  OrderedJson object_ = OrderedJson::object();
};

OrderedJson to_ordered_json(const Report& report);

}  // namespace gdbench::result
