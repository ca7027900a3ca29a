// Writes the JSON schema of what is written by lists of fields (harness/base/fields.h), by walking the same lists. What
// a field is for is said by its comment in the header of its struct.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

namespace gdbench::report {

// The comment above `Name` or, with a member, those above and behind it; empty where there is none.
std::string comment_of(std::string_view name, std::string_view member = {});

class SchemaWriter {
 public:
  template <class T>
  void field(const char* key, const T& /*value*/) {
    add<T>(key, true);
  }
  template <class T>
  void optional(const char* key, const T& /*value*/) {
    add<T>(key, false);
  }
  template <class T>
  void optional(const char* key, const std::optional<T>& /*value*/) {
    add<T>(key, false);
  }
  template <class T>
  void member(const char* key, const T& /*value*/) {
    add<T>(key, !kIsOptional<T>);
  }
  template <class T>
  void only_if(bool /*present*/, const char* key, const T& /*value*/) {
    add<T>(key, false);
  }
  template <class T>
  void unless_empty(const char* key, const T& /*value*/) {
    add<T>(key, false);
  }
  void text(const char* key, const std::string& /*value*/) { add(key, true, {{"type", "object"}}); }

  // Of a document, as RecordWriter::document writes it of one of these structs.
  template <class... T>
  static OrderedJson document(const char* schema, int major, int minor) {
    OrderedJson definitions = OrderedJson::object();
    const OrderedJson forms = OrderedJson::array({form<T>(schema, major, definitions)...});
    return document(cat(schema, ", version ", major, ".", minor), forms, definitions);
  }

 private:
  SchemaWriter(std::string_view name, OrderedJson& definitions) : name_(name), definitions_(definitions) {}

  template <class T>
  static OrderedJson form(const char* schema, int major, OrderedJson& definitions) {
    SchemaWriter writer(name_of_type<T>(), definitions);
    writer.add_version(schema, major);
    const T record{};
    fields(writer, record);
    writer.add("document", false, {{"type", "object"}, {"description", "What the command says that prints this."}});
    return writer.take();
  }
  static OrderedJson document(const std::string& title, const OrderedJson& forms, const OrderedJson& definitions);
  void add_version(const char* schema, int major);
  void add(const char* key, bool required, OrderedJson schema);
  OrderedJson take();

  template <class T>
  void add(const char* key, bool required) {
    add(key, required, schema_of(std::type_identity<T>()));
  }

  template <class T>
  OrderedJson schema_of(std::type_identity<T> /*type*/) {
    if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {{"type", {"number", "null"}}};  // null: not a finite number
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "integer"}, {"minimum", 0}};
    } else if constexpr (std::is_enum_v<T>) {
      OrderedJson names = OrderedJson::array();
      for (const auto& row : rows_of(T{})) names.push_back(row.name);
      return {{"enum", names}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    } else if constexpr (requires(const T& value) { encode_whole(value); }) {
      return {{"type", "object"}};
    } else {
      const std::string name(name_of_type<T>());
      if (!definitions_.contains(name)) {
        definitions_[name] = OrderedJson();  // its place in the order, and nothing twice
        SchemaWriter writer(name, definitions_);
        const T record{};
        fields(writer, record);
        definitions_[name] = writer.take();
      }
      return {{"$ref", "#/$defs/" + name}};
    }
  }
  template <class T>
  OrderedJson schema_of(std::type_identity<std::vector<T>> /*type*/) {
    return {{"type", "array"}, {"items", schema_of(std::type_identity<T>())}};
  }
  template <class T>
  OrderedJson schema_of(std::type_identity<std::optional<T>> /*type*/) {
    return schema_of(std::type_identity<T>());
  }

  template <class T>
  static std::string_view name_of_type() {
    const std::string_view function = __PRETTY_FUNCTION__;  // "... [with T = gdbench::report::Sample; ...]"
    const std::string_view type = function.substr(function.find("T = ") + 4);
    const std::string_view whole = type.substr(0, type.find_first_of(";]"));
    return whole.substr(whole.rfind(':') + 1);
  }

  std::string name_;  // of the struct
  OrderedJson& definitions_;
  OrderedJson properties_ = OrderedJson::object();
  OrderedJson required_ = OrderedJson::array();
};

}  // namespace gdbench::report
