// Fills structs from JSON by their lists of fields; see fields.h. The first mistake is kept as the document's fault.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"

namespace gdbench {

// A value's place, which is spelled out as a JSON pointer only when a message or an object below needs it.
struct Place {
  std::string_view above;  // pointer
  std::optional<std::string_view> key;
  std::optional<std::size_t> index;  // neither: it is the place itself

  std::string pointer() const;
};

class RecordReader : private JsonReader {
 public:
  using JsonReader::finish;
  using JsonReader::has;
  using JsonReader::JsonReader;

  template <class T>
  void field(const char* key, T& target) {
    take(key, true, target);
  }
  template <class T>
  void optional(const char* key, T& target) {
    take(key, false, target);
  }
  template <class T>
  void member(const char* key, T& target) {
    take(key, !kIsOptional<T>, target);
  }
  template <class T>
  void unless_empty(const char* key, T& target) {
    take(key, false, target);
  }
  // A required enumerator, or what the target holds where the name is unknown.
  template <class T>
  void named_or_default(const char* key, T& target) {
    std::string name;
    field(key, name);
    for (const auto& row : rows_of(target)) {
      if (row.name == name) target = row.value;
    }
  }
  // Empty where it is absent or has another form: what is only shown causes no failure.
  template <class T>
  void if_readable(const char* key, std::optional<T>& target) {
    const Json* value = JsonReader::member(key);
    if (value == nullptr) return;
    JsonDocument apart("", {}, document().rules());
    decode(*value, {}, target, apart);
    if (!apart.ok()) target.reset();
  }
  template <class T>
  void non_empty(const char* key, std::vector<T>& target) {
    field(key, target);
    if (target.empty() && document().ok() && has(key)) fail(key, "at least one entry");
  }
  void number_or_null(const char* key, double& target);  // null is NaN
  void text(const char* key, std::string& target);

  template <class T>
  static void decode(const Json& value, const Place& place, T& target, JsonDocument& document) {
    if constexpr (std::is_enum_v<T>) {
      decode_enumerator(value, place, target, document);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      decode_integer(value, place, target, document);
    } else if constexpr (requires { decode_whole(value, place, target, document); }) {
      decode_whole(value, place, target, document);
    } else if constexpr (std::is_class_v<T>) {
      read(RecordReader(document, value, place.pointer()), target);
    }
  }
  static void decode(const Json& value, const Place& place, bool& target, JsonDocument& document);
  static void decode(const Json& value, const Place& place, double& target, JsonDocument& document);
  static void decode(const Json& value, const Place& place, std::string& target, JsonDocument& document);
  static void decode(const Json& value, const Place& place, std::filesystem::path& target, JsonDocument& document);
  static void decode(const Json& value, const Place& place, std::map<std::string, std::string>& target,
                     JsonDocument& document);
  template <class T>
  static void decode(const Json& value, const Place& place, std::optional<T>& target, JsonDocument& document) {
    decode(value, place, target.emplace(), document);
  }
  template <class T>
  static void decode(const Json& value, const Place& place, std::vector<T>& target, JsonDocument& document) {
    if (!value.is_array()) return refuse(value, place, "an array", document);
    target.clear();
    target.reserve(value.size());
    const std::string pointer = place.pointer();
    for (std::size_t i = 0; i < value.size() && document.ok(); ++i) {
      decode(value[i], {pointer, std::nullopt, i}, target.emplace_back(), document);
    }
  }

  static void refuse(const Json& found, const Place& place, const std::string& expected, JsonDocument& document) {
    document.fail(place.pointer(), describe(found), expected);
  }

  // A whole document.
  template <class T>
  static Result<T> read(const Json& value, JsonDocument document) {
    T target;
    read(RecordReader(document, value), target);
    if (!document.ok()) return document.error();
    return target;
  }

 private:
  template <class T>
  static void read(RecordReader reader, T& target) {
    if (!reader.document().ok()) return;
    fields(reader, target);
    reader.finish();
  }

  template <class T>
  void take(const char* key, bool required, T& target) {
    const Json* value = required_member(key, required, "this key");
    if (value != nullptr && document().ok()) decode(*value, {pointer(), key, {}}, target, document());
  }

  template <class T>
  static void decode_enumerator(const Json& value, const Place& place, T& target, JsonDocument& document) {
    std::vector<std::string> names;
    for (const auto& row : rows_of(T{})) names.emplace_back(row.name);
    if (const auto index = document.choice(value, place.pointer(), names))
      target = std::begin(rows_of(T{}))[*index].value;
  }

  template <class T>
  static void decode_integer(const Json& value, const Place& place, T& target, JsonDocument& document) {
    const bool fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.get<std::uint64_t>())
                          : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    if (!fits) return refuse(value, place, std::is_unsigned_v<T> ? "an integer from 0" : "an integer", document);
    target = value.get<T>();
  }
};

}  // namespace gdbench
