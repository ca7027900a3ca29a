// Turns structs into JSON by walking their lists of fields; see fields.h.
#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/key.h"

namespace gdbench {

// Keys in the order of the fields, so that what is written is read from the top.
class RecordWriter {
 public:
  RecordWriter() = default;
  template <class T>
  void field(const char* key, const T& value, const Key& allowed = {}) {
    if constexpr (kIsOptional<T>) {
      object_[key] = value ? encode(*value) : OrderedJson(allowed.word);
    } else {
      object_[key] = encode(value);
    }
  }
  template <class T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) object_[key] = encode(*value);
  }
  // A field with a default is written as any other.
  template <class T>
  void optional(const char* key, const T& value, const Key& /*allowed*/ = {}) {
    field(key, value);
  }
  template <class T>
  void member(const char* key, const T& value) {
    optional(key, value);
  }
  template <class T>
  void if_readable(const char* key, const std::optional<T>& value) {
    optional(key, value);
  }
  template <class T>
  void named_or_default(const char* key, const T& value) {
    field(key, value);
  }
  template <class T>
  void non_empty(const char* key, const std::vector<T>& values) {
    field(key, values);
  }
  template <class T>
  void unless_empty(const char* key, const T& values) {
    if (!values.empty()) field(key, values);
  }
  template <class T>
  void only_if(bool present, const char* key, const T& value) {
    if (present) field(key, value);
  }
  void number_or_null(const char* key, double value) { field(key, value); }
  void text(const char* key, const std::string& value) { object_[key] = OrderedJson::parse(value); }
  static bool has(const char* /*key*/) { return true; }

  // The archive of key.h.
  static constexpr bool kWrites = true;
  static constexpr bool kDescribes = false;
  static void start(const auto& /*target*/, const auto& /*value*/) {}
  void columns(const char* key, const std::vector<std::string>& names, bool by_number, const Key& /*allowed*/) {
    field(key, names);
    for (OrderedJson& name : object_[key]) {
      if (by_number) name = std::stoll(name.get<std::string>());
    }
  }
  void object(const char* key, const Key& /*allowed*/, const auto& list, bool /*required*/ = false) {
    RecordWriter writer;
    list(writer);
    object_[key] = writer.take();
  }
  template <class T>
  void objects(const char* key, const std::vector<T>& values, const Key& /*allowed*/, const auto& list) {
    OrderedJson array = OrderedJson::array();
    for (const T& value : values) {
      RecordWriter writer;
      list(writer, value, false);
      array.push_back(writer.take());
    }
    object_[key] = std::move(array);
  }
  template <class Enum, class... Alternatives>
  void variant(const char* key, const std::variant<Alternatives...>& value, const char* kind_key, const Key& allowed) {
    const auto list = [&](RecordWriter& writer) {
      writer.field(kind_key, static_cast<Enum>(value.index()));
      std::visit([&](const auto& alternative) { fields(writer, alternative); }, value);
    };
    object(key, allowed, list);
  }
  void check(const auto&... /*fault*/) {}

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
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      return value.string();
    } else if constexpr (requires { encode_whole(value); }) {
      return encode_whole(value);
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
  // Settings in an order of their own are an object, too.
  static OrderedJson encode(const std::vector<std::pair<std::string, std::string>>& values) {
    OrderedJson object = OrderedJson::object();
    for (const auto& [key, value] : values) object[key] = value;
    return object;
  }

  // A document: the name and version of its schema, then its fields.
  template <class T>
  static OrderedJson document(const char* schema, int major, int minor, const T& value) {
    RecordWriter writer(schema, major, minor);
    fields(writer, value);
    return writer.take();
  }
  // One with a single field.
  template <class T>
  static OrderedJson document(const char* schema, int major, int minor, const char* key, const T& value) {
    RecordWriter writer(schema, major, minor);
    writer.field(key, value);
    return writer.take();
  }

 private:
  RecordWriter(const char* schema, int major, int minor)
      : object_({{"schema", schema}, {"schema_version", {{"major", major}, {"minor", minor}}}}) {}

  OrderedJson object_ = OrderedJson::object();
};

}  // namespace gdbench
