// Describes the keys of a struct as a JSON schema, by the lists of fields that read and write it (key.h): each default
// is what the struct holds. A list with a key that chooses others is walked once for each of its names.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/record_writer.h"

namespace gdbench {

class KeyDescriber {
 public:
  // Of the object whose keys `list` names.
  static OrderedJson object_of(const auto& list) {
    std::vector<KeyDescriber> kinds;
    do {
      KeyDescriber next(kinds.size());
      list(next);
      next.restore_();
      kinds.push_back(std::move(next));
    } while (kinds.size() < kinds[0].names_.size());
    return merged(kinds);
  }

  static constexpr bool kWrites = false;
  static constexpr bool kDescribes = true;
  static bool has(const char* /*key*/) { return false; }
  template <class T>
  void field(const char* key, T& value, const Key& allowed) {
    const bool has_word = *allowed.word != '\0';
    add(key, allowed, type_of<T>(allowed), has_word ? OrderedJson(allowed.word) : OrderedJson(), !has_word);
    if constexpr (std::is_enum_v<T>) choose(key, value, allowed);
  }
  template <class T>
  void optional(const char* key, T& value, const Key& allowed) {
    bool fits = true;
    if constexpr (std::is_floating_point_v<T>) fits = allowed.numbers.contains(value);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      fits = allowed.integers.contains(static_cast<std::int64_t>(value));
    add(key, allowed, type_of<T>(allowed), fits ? RecordWriter::encode(value) : OrderedJson(), !fits);
    if constexpr (std::is_enum_v<T>) choose(key, value, allowed);
  }
  template <class T>
  static void start(T& target, const std::type_identity_t<T>& value) {
    target = value;
  }
  void columns(const char* key, const std::vector<std::string>& /*names*/, bool /*by_number*/, const Key& allowed) {
    add(key, allowed, {{"type", "array"}, {"items", {{"type", {"string", "integer"}}}}}, nullptr,
        allowed.otherwise == nullptr);
  }
  void object(const char* key, const Key& allowed, const auto& list, bool required = false) {
    add(key, allowed, object_of(list), nullptr, required);
  }
  template <class T>
  void objects(const char* key, std::vector<T>& /*values*/, const Key& allowed, const auto& list) {
    T element;
    const OrderedJson items = object_of([&](KeyDescriber& writer) { list(writer, element, true); });
    add(key, allowed, {{"type", "array"}, {"minItems", 1}, {"items", items}}, nullptr, true);
  }
  template <class Enum, class... Alternatives>
  void variant(const char* key, const std::variant<Alternatives...>& /*value*/, const char* kind_key,
               const Key& allowed) {
    OrderedJson objects = OrderedJson::array();
    const auto describe = [&](auto alternative) {
      objects.push_back(object_of([&](KeyDescriber& writer) {
        writer.add(kind_key, {}, {{"const", rows_of(Enum{})[objects.size()].name}}, nullptr, true);
        fields(writer, alternative);
      }));
    };
    (describe(Alternatives()), ...);
    add(key, allowed, {{"oneOf", std::move(objects)}}, nullptr, true);
  }
  void check(const auto&... /*fault*/) {}

 private:
  explicit KeyDescriber(std::size_t index) : index_(index) {}

  template <class T>
  static OrderedJson type_of(const Key& allowed) {
    if constexpr (std::is_enum_v<T>) {
      OrderedJson names = OrderedJson::array();
      for (const auto& row : rows_of(T{})) names.push_back(row.name);
      return {{"enum", std::move(names)}};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "integer"}, {"minimum", allowed.integers.least}, {"maximum", allowed.integers.most}};
    } else if constexpr (std::is_floating_point_v<T>) {
      const NumberRange& range = allowed.numbers;
      OrderedJson type = {{"type", "number"}, {range.open ? "exclusiveMinimum" : "minimum", range.least}};
      if (std::isfinite(range.below)) type["exclusiveMaximum"] = range.below;
      if (range.most < std::numeric_limits<double>::max()) type["maximum"] = range.most;
      return type;
    } else if constexpr (kIsOptional<T>) {
      return {{"anyOf", {{{"const", allowed.word}}, type_of<typename T::value_type>(allowed)}}};
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
      return {{"type", "string"}};
    } else {
      return {{"type", "array"}, {"items", {{"type", "string"}}}, {"uniqueItems", true}};
    }
  }

  // The list is walked for each of the names.
  void choose(const char* key, auto& target, const Key& allowed) {
    if (!allowed.chooses) return;
    kind_ = key;
    restore_ = [&target, value = target] { target = value; };
    for (const auto& row : rows_of(target)) {
      if (names_.size() == index_) target = row.value;
      names_.emplace_back(row.name);
    }
  }

  void add(const char* key, const Key& allowed, OrderedJson type, const OrderedJson& value, bool required) {
    if (*allowed.about != '\0') type["description"] = std::string(allowed.about);
    if (allowed.otherwise != nullptr) {
      type["description"].get_ref<std::string&>() += std::string(" Default: ") + allowed.otherwise + ".";
    } else if (required) {
      required_.push_back(key);
    } else if (!value.is_null()) {
      type["default"] = value;
    }
    properties_[key] = std::move(type);
  }

  // What all kinds have in common, and for each kind what it has on top and which keys it lacks.
  static OrderedJson merged(const std::vector<KeyDescriber>& kinds);

  std::size_t index_;  // of the kind
  std::string kind_;
  std::vector<std::string> names_;
  std::function<void()> restore_ = [] {};
  OrderedJson properties_ = OrderedJson::object();
  std::vector<std::string> required_;
};

}  // namespace gdbench
