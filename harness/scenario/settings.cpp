#include "harness/scenario/settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/scenario/matrix.h"

namespace gdbench::scenario {

namespace {

struct ShortName {
  const char* name;
  const char* key;
};
constexpr std::array<ShortName, 5> kShortNames = {{
    {"rows", "data.rows"},
    {"features", "data.features"},
    {"batch", "batch.rows"},
    {"optimizer", "optimizer.kind"},
    {"learning_rate", "optimizer.learning_rate"},
}};
constexpr const char* kWidth = "width";  // stands for several keys

std::vector<std::string> split(const std::string& key) {
  std::vector<std::string> parts(1);
  for (const char character : key) {
    if (character == '.') {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

// JSON where it parses as JSON, else a string.
Json value_of(const std::string& text) {
  Result<Json> parsed = parse_json(text);
  return parsed.ok() ? std::move(parsed).value() : Json(text);
}

// Element `part` of an array, or null with a fault.
Json* element(JsonDocument& document, Json& array, const std::string& origin, const std::string& part,
              const std::string& pointer) {
  const std::optional<std::size_t> index = number_of<std::size_t>(part);
  if (index && *index < array.size()) return &array[*index];
  document.set_origin(pointer, origin);
  document.fail(pointer, in_quotes(part), "an index below " + std::to_string(array.size()));
  return nullptr;
}

void set(JsonDocument& document, const std::string& origin, const std::vector<std::string>& parts, Json value) {
  Json* place = &document.root();
  std::string pointer;
  for (const std::string& part : parts) {
    if (place->is_array()) {
      pointer.append("/").append(pointer_part(part));
      place = element(document, *place, origin, part, pointer);
      if (place == nullptr) return;
      continue;
    }
    if (!place->is_object()) {
      const std::string found = describe(*place);
      document.set_origin(pointer, origin);
      document.fail(pointer, found + " at " + pointer, "an object there");
      return;
    }
    pointer.append("/").append(pointer_part(part));
    if (!place->contains(part)) {
      (*place)[part] = Json::object();
      document.set_origin(pointer, origin);
    }
    place = &(*place)[part];
  }
  document.set_origin(pointer, origin);
  *place = std::move(value);
}

// The width of every hidden layer.
void set_width(JsonDocument& document, const std::string& origin, const Json& value) {
  const Json& root = document.root();
  const Json::json_pointer layers("/model/layers");
  const bool has_layers = root.contains(layers) && root[layers].is_array();
  if (!has_layers || root[layers].size() < 2) {
    document.set_origin("/model", origin);
    document.fail("/model", "a model without hidden layers", "one whose hidden layers get this width");
    return;
  }
  for (std::size_t i = 0; i + 1 < root[layers].size(); ++i) {
    set(document, origin, {"model", "layers", std::to_string(i), "width"}, value);
  }
}

// {"rows": 32} is spelled 32 as well. Messages keep the spelling.
void spell_out_batch(JsonDocument& document) {
  const auto batch = document.root().find("batch");
  if (batch == document.root().end() || batch->is_object()) return;
  *batch = Json{{"rows", std::move(*batch)}};
  document.set_origin("/batch/rows", "/batch");
}

}  // namespace

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result = {kWidth};
    for (const ShortName& short_name : kShortNames) result.emplace_back(short_name.name);
    const OrderedJson described = schema();
    for (const auto& entry : described["properties"].items()) {
      if (entry.key() != "$schema") result.push_back(entry.key());
    }
    return result;
  }();
  return names;
}

std::string full_key(const std::string& key) {
  for (const ShortName& short_name : kShortNames) {
    if (key == short_name.name) return short_name.key;
  }
  return key;
}

const Setting* find_setting(const std::vector<Setting>& settings, const std::string& key) {
  const auto found =
      std::ranges::find_if(settings, [&](const Setting& setting) { return full_key(setting.key) == full_key(key); });
  return found == settings.end() ? nullptr : &*found;
}

std::optional<std::string> value_at(const Json& resolved, const std::string& key) {
  std::string pointer;
  for (const std::string& part : split(full_key(key))) pointer.append("/").append(pointer_part(part));
  const Json::json_pointer place(pointer);
  return resolved.contains(place) ? scalar_text(resolved[place]) : std::nullopt;
}

void apply_settings(JsonDocument& document, const std::vector<Setting>& settings) {
  spell_out_batch(document);
  for (const Setting& setting : settings) {
    Json value = value_of(setting.value);
    const std::string origin = setting.source.empty() ? "--set " + setting.key : setting.source;
    if (setting.key == kWidth) {
      set_width(document, origin, value);
      continue;
    }
    // "batch" and "optimizer" are names of objects as well as short names of what these mostly differ in.
    const std::vector<std::string> parts = split(value.is_object() ? setting.key : full_key(setting.key));
    set(document, origin, parts, std::move(value));
  }
}

Result<Setting> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return usage_error("--set " + in_quotes(text) + ": found no KEY before a \"=\", expected KEY=VALUE");
  }
  return Setting{.key = text.substr(0, equals), .value = text.substr(equals + 1)};
}

}  // namespace gdbench::scenario
