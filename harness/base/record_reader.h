// Fills structs from JSON by walking their lists of fields; see fields.h. The first mistake is kept as one line that
// says where it is, what was found and what was expected; everything after it is skipped.
#pragma once

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/result.h"

namespace gdbench {

// A value's place in the document, spelled out as a JSON pointer only when a message needs it.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;  // used where key is empty

  std::string pointer() const;
};

class RecordReader {
 public:
  struct Context {
    std::string origin;           // of errors: the file, or the file and a line of it
    bool ignore_unknown = false;  // a newer minor version may have keys that this one does not know
    std::optional<Error> error = std::nullopt;
    ErrorKind mistake = ErrorKind::usage;
    ErrorKind unknown_name = ErrorKind::usage;  // for an enumeration: of a newer minor version, perhaps
    bool null_is_nan = true;
  };

  RecordReader(const Json& object, const Place& place, Context& context)
      : object_(object), place_(place), context_(context) {}

  template <class T>
  void field(const char* key, T& target) {
    if (const Json* value = find(key, true)) decode(*value, {&place_, key}, target, context_);
  }
  template <class T>
  void optional(const char* key, T& target) {
    if (const Json* value = find(key, false)) decode(*value, {&place_, key}, target, context_);
  }
  template <class T>
  void member(const char* key, T& target) {
    if (const Json* value = find(key, !kIsOptional<T>)) decode(*value, {&place_, key}, target, context_);
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
  // Empty where it is absent or has another form: what is only shown makes nobody fail.
  template <class T>
  void if_readable(const char* key, std::optional<T>& target) {
    const bool was_right = !context_.error;
    optional(key, target);
    if (!was_right || !context_.error) return;
    target.reset();
    context_.error.reset();
  }
  template <class T>
  void non_empty(const char* key, std::vector<T>& target) {
    field(key, target);
    if (!context_.error && target.empty()) refuse(object_[key], {&place_, key}, "at least one entry", context_);
  }
  template <class T>
  void unless_empty(const char* key, T& target) {
    optional(key, target);
  }
  void number_or_null(const char* key, double& target);  // null is NaN
  void text(const char* key, std::string& target);
  bool has(const char* key) const { return object_.contains(key); }
  // Refuses keys that no field asked for.
  void finish();

  template <class T>
  static void decode(const Json& value, const Place& place, T& target, Context& context) {
    if (context.error) return;
    if constexpr (std::is_enum_v<T>) {
      decode_enumerator(value, place, target, context);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      decode_integer(value, place, target, context);
    } else if constexpr (requires { decode_whole(value, place, target, context); }) {
      decode_whole(value, place, target, context);
    } else if constexpr (std::is_class_v<T>) {
      if (!value.is_object()) return refuse(value, place, "an object", context);
      RecordReader reader(value, place, context);
      fields(reader, target);
      reader.finish();
    }
  }
  static void decode(const Json& value, const Place& place, bool& target, Context& context);
  static void decode(const Json& value, const Place& place, double& target, Context& context);
  static void decode(const Json& value, const Place& place, std::string& target, Context& context);
  static void decode(const Json& value, const Place& place, std::filesystem::path& target, Context& context);
  static void decode(const Json& value, const Place& place, std::map<std::string, std::string>& target,
                     Context& context);

  template <class T>
  static void decode(const Json& value, const Place& place, std::optional<T>& target, Context& context) {
    decode(value, place, target.emplace(), context);
  }
  template <class T>
  static void decode(const Json& value, const Place& place, std::vector<T>& target, Context& context) {
    if (context.error) return;
    if (!value.is_array()) return refuse(value, place, "an array", context);
    target.clear();
    target.reserve(value.size());
    for (std::size_t i = 0; i < value.size() && !context.error; ++i) {
      decode(value[i], {&place, {}, i}, target.emplace_back(), context);
    }
  }

  // Records `ORIGIN: POINTER: found X, expected Y`.
  static void refuse(const Json& found, const Place& place, const std::string& expected, Context& context);

 private:
  const Json* find(const char* key, bool required);

  template <class T>
  static void decode_enumerator(const Json& value, const Place& place, T& target, Context& context) {
    std::string names;
    for (const auto& row : rows_of(T{})) {
      if (value.is_string() && value.get_ref<const std::string&>() == row.name) {
        target = row.value;
        return;
      }
      names += (names.empty() ? "one of " : ", ") + std::string(row.name);
    }
    refuse(value, place, names, context);
    if (value.is_string()) context.error->kind = context.unknown_name;
  }

  template <class T>
  static void decode_integer(const Json& value, const Place& place, T& target, Context& context) {
    const bool fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.get<std::uint64_t>())
                          : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    if (!fits) return refuse(value, place, std::is_unsigned_v<T> ? "an integer from 0" : "an integer", context);
    target = value.get<T>();
  }

  const Json& object_;
  const Place& place_;
  Context& context_;
  std::vector<std::string_view> known_;
};

}  // namespace gdbench
