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
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace gdbench {

// Parses JSON text: refuses duplicate keys and deep nesting. The error's message is the fault alone ("line 2, column 7:
// found ...").
Result<Json> parse_json(const std::string& text);

// One line of every text and key in a value of somebody else (one_line of text.h).
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

struct IntegerRange {
  std::int64_t least;
  std::int64_t most;
};

// Finite numbers only.
struct NumberRange {
  double least;
  bool open;                                               // `least` itself is outside
  double below = std::numeric_limits<double>::infinity();  // numbers are less than that
};

// One JSON object of a document. Without a fallback a key is required.
class JsonReader {
 public:
  explicit JsonReader(JsonDocument& document) : JsonReader(document, document.root(), "") {}

  // A value of its own that reports at `pointer`; a fault unless it is an object.
  JsonReader(JsonDocument& document, const Json& value, std::string pointer = "");

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

  JsonDocument* document_;
  const Json* value_;  // null: the value is not an object, which has been reported
  std::string pointer_;
  std::vector<std::string> known_;
  // The first required key that is absent. Kept until finish, for a misspelt key says more about it.
  std::optional<std::pair<std::string, std::string>> absent_;  // key, expectation
};

}  // namespace gdbench
