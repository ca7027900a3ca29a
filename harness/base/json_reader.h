// Reads JSON that people write: every fault becomes one line with the file, the place (a JSON pointer, or the setting
// that put the value there), what was found and what was expected.
//
//   Result<JsonDocument> document = JsonDocument::read(file, "a scenario (a JSON object)");
//   if (!document.ok()) return document.error();
//   JsonReader reader(document.value());
//   const std::int64_t rows = reader.integer("rows", {1, 1000}, std::nullopt);
//   reader.finish();
//   if (!document->ok()) return document->error();
//
// A method that meets a fault records it (the first one is kept) and returns the fallback or an empty value, so
// that a caller reads straight on and asks once. Includes nlohmann/json: for .cpp files only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/key.h"
#include "harness/base/result.h"

namespace gdbench {

// Parses JSON text: refuses duplicate keys and deep nesting. The error is the fault alone ("line 2, column 7: found").
Result<Json> parse_json(const std::string& text);

// One line of every text and key in a value from elsewhere (one_line of text.h).
void escape_controls(Json& value);

// A value on one line; bytes that are no UTF-8 are replaced.
template <class AnyJson>
std::string compact(const AnyJson& json) {
  return json.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

// A value in a few words, for messages: scalars as JSON, "an array", "an object".
std::string describe(const Json& value);

std::string choice_expectation(const std::vector<std::string>& names);  // "one of a, b"

// A key as a part of a JSON pointer (RFC 6901).
std::string pointer_part(const std::string& key);

// What is forgiven to a document that another program wrote, perhaps a newer one.
struct JsonRules {
  bool ignore_unknown = false;  // keys
  ErrorKind mistake = ErrorKind::usage;
  ErrorKind unknown_name = ErrorKind::usage;  // of an enumerator
  bool null_is_nan = true;
};

class JsonDocument {
 public:
  explicit JsonDocument(std::string name, Json root = Json::object(), const JsonRules& rules = {})
      : name_(std::move(name)), root_(std::move(root)), rules_(rules) {}

  // `what` says what the file should be.
  static Result<JsonDocument> read(const std::filesystem::path& file, const std::string& what);

  Json& root() { return root_; }
  const Json& root() const { return root_; }
  const std::string& name() const { return name_; }
  JsonRules& rules() { return rules_; }

  // Everything at `pointer` and below was put there by `--set KEY=...`.
  void set_origin(const std::string& pointer, const std::string& origin) { origins_[pointer] = origin; }

  // Records a fault unless there is one, as a mistake where no kind is given.
  void fail(const std::string& pointer, const std::string& found, const std::string& expected,
            std::optional<ErrorKind> kind = std::nullopt);

  // Which of the names a value is; else a fault at `pointer`.
  std::optional<std::size_t> choice(const Json& value, const std::string& pointer,
                                    const std::vector<std::string>& names);

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::string place(const std::string& pointer) const;

  std::string name_;
  Json root_;
  JsonRules rules_;
  std::map<std::string, std::string> origins_;  // pointer -> who gave it, instead of the file
  std::optional<Error> error_;
};

// One JSON object of a document. Without a fallback a key is required.
class JsonReader {
 public:
  explicit JsonReader(JsonDocument& document) : JsonReader(document, document.root(), "") {}

  // A value of its own that reports at `pointer`; a fault unless it is an object.
  JsonReader(JsonDocument& document, const Json& value, std::string pointer = "");

  // The archive of key.h. A default that its range excludes is as good as none: the key is required.
  static constexpr bool kWrites = false;
  static constexpr bool kDescribes = false;
  template <class T>
  void field(const std::string& key, T& target, const Key& allowed) {
    read_key(key, target, allowed, true);
    if (kind_.empty() && allowed.chooses && !has(key)) kind_ = key;
  }
  template <class T>
  void optional(const std::string& key, T& target, const Key& allowed) {
    read_key(key, target, allowed, false);
  }
  template <class T>
  static void start(T& target, const std::type_identity_t<T>& value) {
    target = value;
  }
  void columns(const std::string& key, std::vector<std::string>& target, bool by_number, const Key& allowed);
  template <class List>
  void object(const std::string& key, const Key& /*allowed*/, const List& list, bool required = false) {
    JsonReader reader = object(key, required);
    if (!has(key)) return;
    list(reader);
    reader.finish();
  }
  template <class T, class List>
  void objects(const std::string& key, std::vector<T>& target, const Key& /*allowed*/, const List& list) {
    std::vector<JsonReader> readers = objects(key);
    target.resize(readers.size());
    for (std::size_t i = 0; i < readers.size(); ++i) {
      list(readers[i], target[i], i + 1 == readers.size());
      readers[i].finish();
    }
  }
  // Enum's rows are the alternatives, in their order.
  template <class Enum, class... Alternatives>
  void variant(const std::string& key, std::variant<Alternatives...>& target, const std::string& kind_key,
               const Key& allowed) {
    const auto list = [&](JsonReader& reader) {
      Enum kind{};
      reader.field(kind_key, kind, Key::chooser(allowed.about));
      std::size_t index = 0;
      ((index++ == static_cast<std::size_t>(kind) ? void(target = Alternatives()) : void()), ...);
      std::visit([&](auto& alternative) { fields(reader, alternative); }, target);
    };
    object(key, allowed, list, true);
  }
  void check(const std::string& key, bool holds, const std::string& found, const std::string& expected) {
    if (!holds) document_->fail(key.empty() ? pointer_ : pointer(key), found, expected);
  }

  // Marks the key as known.
  bool has(const std::string& key);

  std::string text(const std::string& key, const std::optional<std::string>& fallback = std::nullopt);
  bool boolean(const std::string& key, bool fallback);
  std::int64_t integer(const std::string& key, IntegerRange range, std::optional<std::int64_t> fallback);
  double number(const std::string& key, NumberRange range, std::optional<double> fallback);
  std::vector<std::string> texts(const std::string& key,
                                 const std::optional<std::vector<std::string>>& fallback = std::nullopt);
  JsonReader object(const std::string& key, bool required = true);
  // A non-empty array of objects.
  std::vector<JsonReader> objects(const std::string& key, bool required = true);

  // One of the enumerators, by name_of.
  template <class Enum>
  Enum choice(const std::string& key, const std::vector<Enum>& values,
              std::type_identity_t<std::optional<Enum>> fallback = std::nullopt) {
    std::vector<std::string> names;
    for (const Enum value : values) names.emplace_back(name_of(value));
    const Json* value = required_member(key, !fallback, choice_expectation(names));
    const auto index = value == nullptr ? std::nullopt : document_->choice(*value, pointer(key), names);
    return index ? values[*index] : fallback.value_or(values.front());
  }

  // The member, or null where it is absent; marks the key as known.
  const Json* member(const std::string& key);
  void fail(const std::string& key, const std::string& expected);  // says what was found itself
  void fail(const std::string& key, const std::string& found, const std::string& expected);
  const std::string& pointer() const { return pointer_; }
  std::string pointer(const std::string& key) const { return pointer_ + "/" + pointer_part(key); }

  // Call once every key was asked for: unknown keys are faults, `more_known` are further names to suggest.
  void finish(const std::vector<std::string>& more_known = {});

 protected:
  // The member; where it is absent, finish says so.
  const Json* required_member(const std::string& key, bool required, const std::string& expected);
  JsonDocument& document() const { return *document_; }

 private:
  // What `parse` makes of the member; else the fallback or, without one, `otherwise`.
  template <class T>
  T read(const std::string& key, const std::string& expected, const std::optional<T>& fallback, T otherwise,
         const auto& parse);
  template <class T>
  void read_key(const std::string& key, T& target, const Key& allowed, bool required) {
    if constexpr (std::is_same_v<T, bool>) {
      target = boolean(key, target);
    } else if constexpr (std::is_integral_v<T>) {
      const auto fallback = static_cast<std::int64_t>(target);
      const bool has_fallback = !required && allowed.integers.contains(fallback);
      target = static_cast<T>(integer(key, allowed.integers, has_fallback ? std::optional(fallback) : std::nullopt));
    } else if constexpr (std::is_floating_point_v<T>) {
      const bool has_fallback = !required && allowed.numbers.contains(target);
      target = number(key, allowed.numbers, has_fallback ? std::optional(target) : std::nullopt);
    } else if constexpr (std::is_enum_v<T>) {
      std::vector<T> values;
      for (const auto& row : rows_of(T{})) values.push_back(row.value);
      target = choice(key, values, required ? std::nullopt : std::optional(target));
    } else if constexpr (std::is_same_v<T, std::string>) {
      target = text(key, required ? std::nullopt : std::optional(target));
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      target = file(key);
    } else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) {
      target = word_or_integer(key, allowed);
    } else {
      target = texts(key, required ? std::nullopt : std::optional(target));
    }
  }
  std::filesystem::path file(const std::string& key);
  std::optional<std::int64_t> word_or_integer(const std::string& key, const Key& allowed);

  JsonDocument* document_;
  const Json* value_;  // null: the value is not an object, which has been reported
  std::string pointer_;
  std::vector<std::string> known_;
  std::string kind_;  // the key that is absent and chooses the others: nothing else is read
  // The first required key that is absent. Kept until finish, for a misspelt key says more about it.
  std::optional<std::pair<std::string, std::string>> absent_;  // key, expectation
};

}  // namespace gdbench
