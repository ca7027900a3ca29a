#include "harness/base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

namespace gdbench {

namespace {

constexpr int kDeepestNesting = 32;
constexpr std::uintmax_t kLargestFile = 16U << 20U;

std::string position(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto begin = text.begin();
  const auto stop = begin + static_cast<std::ptrdiff_t>(end);
  const auto line = 1 + std::count(begin, stop, '\n');
  const std::size_t line_break = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = line_break == std::string::npos ? end + 1 : end - line_break;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// Watches the parser for what it would accept silently.
class ParseGuard {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth >= kDeepestNesting) {
      fault_ = "found nesting deeper than " + std::to_string(kDeepestNesting) + ", expected less";
      return false;
    }
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        fault_ = "found key " + in_quotes(key) + " twice in one object, expected once";
    }
    return true;
  }
  const std::string& fault() const { return fault_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string fault_;
};

bool is_text(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return escape_controls(text, "") == text;
}

std::optional<std::int64_t> as_integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();  // 1e5 is meant as an integer
  if (std::floor(number) != number || std::abs(number) > 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

Result<Json> parse_json(const std::string& text) {
  ParseGuard guard;
  try {
    Json value = Json::parse(
        text, [&](int depth, Json::parse_event_t event, Json& parsed) { return guard(depth, event, parsed); });
    if (!guard.fault().empty()) return usage_error(guard.fault());
    return value;
  } catch (const Json::parse_error& error) {
    return usage_error(position(text, error.byte) + ": found text that is no JSON, expected JSON");
  } catch (const Json::exception& error) {  // a number that no double holds
    return usage_error("found a value that cannot be read (" + one_line(error.what()) + "), expected JSON");
  }
}

void escape_controls(Json& value) {
  if (value.is_string()) {
    value = one_line(value.get_ref<const std::string&>());
  } else if (value.is_object()) {
    Json object = Json::object();
    for (auto& [key, member] : value.items()) {
      // An option's says in further lines what its parts do.
      if (key == "description" && member.is_string() && value.contains("key")) {
        member = escape_controls(member.get_ref<const std::string&>(), "\n");
      } else {
        escape_controls(member);
      }
      object[one_line(key)] = std::move(member);
    }
    value = std::move(object);
  } else if (value.is_array()) {
    for (Json& element : value) escape_controls(element);
  }
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return value.empty() ? "an empty array" : "an array";
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  return value.dump();
}

std::string choice_expectation(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "" : "one of ") + joined(names);
}

std::string pointer_part(const std::string& key) { return (Json::json_pointer() / key).to_string().substr(1); }

Result<JsonDocument> JsonDocument::read(const std::filesystem::path& file, const std::string& what) {
  Result<Json> root = parse_json(TRY(read_file(file, what, kLargestFile)));
  if (!root.ok()) return usage_error(one_line(file.string()) + ": " + root.error().message);
  if (!root->is_object()) {
    return usage_error(one_line(file.string()) + ": /: found " + describe(root.value()) + ", expected " + what);
  }
  return JsonDocument(file.string(), std::move(root).value());
}

void JsonDocument::fail(const std::string& pointer, const std::string& found, const std::string& expected,
                        std::optional<ErrorKind> kind) {
  if (error_) return;
  error_ = {kind.value_or(rules_.mistake),
            one_line(cat(name_, ": ", place(pointer), ": found ", found, ", expected ", expected))};
}

std::optional<std::size_t> JsonDocument::choice(const Json& value, const std::string& pointer,
                                                const std::vector<std::string>& names) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const auto found = std::ranges::find(names, text);
  if (value.is_string() && found != names.end()) return found - names.begin();
  fail(pointer, describe(value), choice_expectation(names) + (value.is_string() ? suggestion(text, names) : ""),
       value.is_string() ? rules_.unknown_name : rules_.mistake);
  return std::nullopt;
}

std::string JsonDocument::place(const std::string& pointer) const {
  for (std::string prefix = pointer;; prefix.erase(prefix.rfind('/'))) {
    const auto origin = origins_.find(prefix);
    if (origin != origins_.end()) {
      return origin->second + (prefix == pointer ? "" : " (" + pointer + ")");
    }
    if (prefix.empty()) return pointer.empty() ? "/" : pointer;
  }
}

JsonReader::JsonReader(JsonDocument& document, const Json& value, std::string pointer)
    : document_(&document), value_(value.is_object() ? &value : nullptr), pointer_(std::move(pointer)) {
  if (value_ == nullptr) document_->fail(pointer_, describe(value), "an object");
}

const Json* JsonReader::member(const std::string& key) {
  if (!kind_.empty() && key != kind_) return nullptr;
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  if (value_ == nullptr) return nullptr;
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

bool JsonReader::has(const std::string& key) { return member(key) != nullptr; }

const Json* JsonReader::required_member(const std::string& key, bool required, const std::string& expected) {
  const Json* found = member(key);
  if (found == nullptr && required && value_ != nullptr && !absent_) absent_.emplace(key, expected);
  return found;
}

void JsonReader::fail(const std::string& key, const std::string& expected) {
  const Json* found = member(key);
  fail(key, found == nullptr ? "nothing" : describe(*found), expected);
}

void JsonReader::fail(const std::string& key, const std::string& found, const std::string& expected) {
  document_->fail(pointer(key), found, expected);
}

template <class T>
T JsonReader::read(const std::string& key, const std::string& expected, const std::optional<T>& fallback, T otherwise,
                   const auto& parse) {
  if (const Json* value = required_member(key, !fallback, expected)) {
    if (std::optional<T> parsed = parse(*value)) return *parsed;
    fail(key, expected);
  }
  return fallback.value_or(otherwise);
}

std::string JsonReader::text(const std::string& key, const std::optional<std::string>& fallback) {
  return read(key, "text on one line", fallback, std::string(), [](const Json& value) {
    return is_text(value) ? std::optional(value.get<std::string>()) : std::nullopt;
  });
}

bool JsonReader::boolean(const std::string& key, bool fallback) {
  return read(key, "true or false", std::optional(fallback), fallback,
              [](const Json& value) { return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt; });
}

std::int64_t JsonReader::integer(const std::string& key, IntegerRange range, std::optional<std::int64_t> fallback) {
  return read(key, expectation_of(range), fallback, range.least, [&](const Json& value) {
    const std::optional<std::int64_t> number = as_integer(value);
    return number && range.contains(*number) ? number : std::nullopt;
  });
}

double JsonReader::number(const std::string& key, NumberRange range, std::optional<double> fallback) {
  return read(key, expectation_of(range), fallback, range.least, [&](const Json& value) -> std::optional<double> {
    if (!value.is_number()) return std::nullopt;
    const auto number = value.get<double>();
    return std::isfinite(number) && range.contains(number) ? std::optional(number) : std::nullopt;
  });
}

std::vector<std::string> JsonReader::texts(const std::string& key,
                                           const std::optional<std::vector<std::string>>& fallback) {
  const std::string expected = "an array of distinct texts";
  const Json* value = required_member(key, !fallback, expected);
  if (value == nullptr) return fallback.value_or(std::vector<std::string>{});
  std::vector<std::string> result;
  if (!value->is_array()) fail(key, expected);
  for (std::size_t i = 0; value->is_array() && i < value->size(); ++i) {
    const Json& entry = (*value)[i];
    const bool fits = is_text(entry);
    if (!fits || std::find(result.begin(), result.end(), entry.get_ref<const std::string&>()) != result.end()) {
      document_->fail(pointer(key) + "/" + std::to_string(i), describe(entry), fits ? "no text twice" : "text");
      break;
    }
    result.push_back(entry.get<std::string>());
  }
  return result;
}

std::optional<std::int64_t> JsonReader::word_or_integer(const std::string& key, const Key& allowed) {
  const Json* value = member(key);
  if (value == nullptr || *value == allowed.word) return std::nullopt;
  if (value->is_number()) return integer(key, allowed.integers, std::nullopt);
  fail(key, in_quotes(allowed.word) + " or a positive number of " + key);
  return std::nullopt;
}

std::filesystem::path JsonReader::file(const std::string& key) {
  std::filesystem::path path = text(key);
  if (!has(key)) return path;
  const std::filesystem::path folder = std::filesystem::path(document_->name()).parent_path();
  const bool is_member = path.parent_path().extension() == ".npz";  // of an archive
  const std::string reason =
      path.empty() ? "no path" : unreadable_because(folder / (is_member ? path.parent_path() : path));
  if (!reason.empty()) fail(key, in_quotes(path.string()) + " (" + reason + ")", "a file that can be read");
  return path;
}

void JsonReader::columns(const std::string& key, std::vector<std::string>& target, bool by_number, const Key& allowed) {
  if (!by_number) return optional(key, target, allowed);
  const Json* values = member(key);
  if (values == nullptr) return;
  const auto is_column = [&](const Json& value) {
    const std::optional<std::int64_t> number = as_integer(value);
    return value.is_number_integer() && number && allowed.integers.contains(*number);
  };
  constexpr const char* kExpected = "an array of column numbers, from 0";
  if (!values->is_array()) return fail(key, kExpected);
  for (const Json& value : *values) {
    if (!is_column(value)) return document_->fail(pointer(key), describe(value), kExpected);
    target.push_back(value.dump());
  }
}

JsonReader JsonReader::object(const std::string& key, bool required) {
  static const Json empty = Json::object();
  const Json* value = required_member(key, required, "an object");
  return JsonReader(*document_, value == nullptr ? empty : *value, pointer(key));
}

std::vector<JsonReader> JsonReader::objects(const std::string& key, bool required) {
  const Json* value = required_member(key, required, "an array of objects");
  std::vector<JsonReader> readers;
  if (value == nullptr) return readers;
  if (!value->is_array() || value->empty()) {
    fail(key, "an array of objects");
    return readers;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.emplace_back(*document_, (*value)[i], pointer(key) + "/" + std::to_string(i));
  }
  return readers;
}

void JsonReader::finish(const std::vector<std::string>& more_known) {
  if (value_ == nullptr) return;
  for (const auto& entry : value_->items()) {
    if (document_->rules().ignore_unknown) break;
    const std::string& key = entry.key();
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (pointer_.empty() && key == "$schema") continue;  // an editor's
    if (!kind_.empty() && suggestion(key, {kind_}).empty()) continue;
    std::vector<std::string> candidates = known_;
    candidates.insert(candidates.end(), more_known.begin(), more_known.end());
    std::erase(candidates, key);  // that is unknown here only
    document_->fail(pointer(key), "an unknown key", "one of " + joined(known_) + suggestion(key, candidates));
  }
  if (absent_) document_->fail(pointer(absent_->first), "nothing", absent_->second);
}

}  // namespace gdbench
