#include "harness/scenario/matrix.h"

#include <algorithm>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/scenario/settings.h"

namespace gdbench::scenario {

std::optional<std::vector<int>> as_threads(const std::string& text, int processors) {
  if (text == kPowersOfTwo) {
    std::vector<int> counts;
    for (int count = 1; count < std::min(processors, kMaxThreads); count *= 2) counts.push_back(count);
    counts.push_back(std::clamp(processors, 1, kMaxThreads));
    return counts;
  }
  const std::optional<int> threads = number_of<int>(text);
  if (!threads || *threads < 1 || *threads > kMaxThreads) return std::nullopt;
  return std::vector<int>{*threads};
}

std::vector<std::string> values_of(const Matrix& matrix, const std::string& key) {
  std::vector<std::string> found;
  const auto add = [&](const Values& values) {
    if (const auto own = values.find(key); own != values.end()) {
      found.insert(found.end(), own->second.begin(), own->second.end());
    }
  };
  add(matrix.axes);
  std::ranges::for_each(matrix.includes, add);
  return found;
}

std::vector<std::string> keys_of(const Matrix& matrix) {
  std::vector<std::string> keys = {kScenarioAxis, kImplementationAxis, kThreadsAxis};
  const auto add = [&](const Values& values) {
    for (const auto& entry : values) {
      if (std::ranges::find(keys, full_key(entry.first)) == keys.end()) keys.push_back(full_key(entry.first));
    }
  };
  add(matrix.axes);
  std::ranges::for_each(matrix.includes, add);
  return keys;
}

bool depends_on_machine(const Matrix& matrix) {
  return std::ranges::count(values_of(matrix, kThreadsAxis), kPowersOfTwo) > 0;
}

std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

namespace {

// Checks that `key` can be an axis, and that its value fits where that is known here.
void check_axis(JsonDocument& document, const std::string& pointer, const std::string& key, const std::string& value) {
  const std::string first = key.substr(0, key.find('.'));
  std::vector<std::string> known = setting_names();
  known.insert(known.end(), {kScenarioAxis, kImplementationAxis, kThreadsAxis, "impl"});
  if (std::find(known.begin(), known.end(), first) == known.end() || key == "impl" || key == "impl.") {
    document.fail(pointer, "an unknown axis",
                  "scenario, implementation, threads, impl.KEY or a key of scenarios" + suggestion(first, known));
  }
  if (key == kThreadsAxis && !as_threads(value, 1)) {
    document.fail(pointer, in_quotes(value),
                  cat("an integer from 1 to ", kMaxThreads, " or ", in_quotes(kPowersOfTwo)));
  }
}

}  // namespace

Values read_values(JsonDocument& document, const std::string& pointer, const Json& object, bool lists, bool are_axes) {
  Values values;
  for (const auto& [key, value] : object.items()) {
    const std::string place = pointer + "/" + pointer_part(key);
    const bool is_list = lists && value.is_array();
    if (is_list && value.empty()) document.fail(place, "an empty array", "at least one value");
    for (std::size_t i = 0; i < (is_list ? value.size() : 1); ++i) {
      const Json& scalar = is_list ? value[i] : value;
      const std::string scalar_place = is_list ? place + "/" + std::to_string(i) : place;
      const std::optional<std::string> text = scalar_text(scalar);
      if (!text) document.fail(scalar_place, describe(scalar), "text, a number, true or false");
      values[key].push_back(text.value_or(""));
      if (are_axes) check_axis(document, scalar_place, key, values[key].back());
    }
  }
  return values;
}

namespace {

std::vector<Values> read_entries(JsonDocument& document, JsonReader& reader, const std::string& key, bool are_axes) {
  std::vector<Values> entries;
  const Json* found = reader.member(key);
  if (found == nullptr) return entries;
  if (!found->is_array()) reader.fail(key, "an array of objects");
  for (std::size_t i = 0; found->is_array() && i < found->size(); ++i) {
    const Json& object = (*found)[i];
    const std::string pointer = reader.pointer(key) + "/" + std::to_string(i);
    if (!object.is_object() || object.empty()) document.fail(pointer, describe(object), "an object with keys");
    if (object.is_object()) entries.push_back(read_values(document, pointer, object, false, are_axes));
  }
  return entries;
}

// A key of an exclude that no cell has would exclude nothing, silently.
void check_excludes(JsonDocument& document, const JsonReader& reader, const Matrix& matrix) {
  const std::vector<std::string> known = keys_of(matrix);
  for (std::size_t i = 0; i < matrix.excludes.size(); ++i) {
    for (const auto& member : matrix.excludes[i]) {
      if (std::ranges::find(known, full_key(member.first)) != known.end()) continue;
      document.fail(reader.pointer("exclude") + "/" + std::to_string(i) + "/" + pointer_part(member.first),
                    "a key that no axis has", "one of " + joined(known) + suggestion(member.first, known));
    }
  }
}

// Scenarios that are given by their path, as a matrix in its file means them.
void resolve_scenario_files(const std::filesystem::path& file, Values& values) {
  if (!values.contains(kScenarioAxis)) return;
  for (std::string& scenario : values[kScenarioAxis]) {
    if (is_path(scenario)) scenario = (file.parent_path() / scenario).lexically_normal().string();
  }
}

}  // namespace

void read_cells(JsonDocument& document, JsonReader& reader, Matrix& matrix) {
  if (const Json* axes = reader.member("axes")) {
    if (!axes->is_object()) reader.fail("axes", "an object of arrays");
    if (axes->is_object()) matrix.axes = read_values(document, reader.pointer("axes"), *axes, true, true);
  }
  matrix.excludes = read_entries(document, reader, "exclude", false);
  matrix.includes = read_entries(document, reader, "include", true);
  resolve_scenario_files(matrix.file, matrix.axes);
  for (Values& exclude : matrix.excludes) resolve_scenario_files(matrix.file, exclude);
  for (Values& include : matrix.includes) resolve_scenario_files(matrix.file, include);
  check_excludes(document, reader, matrix);
}

Result<Matrix> read_matrix(const std::filesystem::path& file) {
  try {
    JsonDocument document = TRY(JsonDocument::read(file, "a matrix (a JSON object)"));
    JsonReader root(document);
    Matrix matrix;
    matrix.file = file;
    matrix.name = root.text("name");
    matrix.purpose = root.text("purpose", "");
    matrix.baseline = root.text("baseline", matrix.baseline);
    matrix.if_usable = root.texts("if_usable", std::vector<std::string>());
    matrix.gate = root.texts("gate", std::vector<std::string>());
    for (const char* key : {"axes", "exclude", "include"}) root.has(key);
    root.finish();
    read_cells(document, root, matrix);
    if (!document.ok()) return document.error();
    return matrix;
  } catch (const std::exception& error) {
    return failure(one_line(file.string() + ": cannot be read: " + error.what()));
  }
}

namespace {

// Adds the file where it is a scenario: JSON with a model or data. Other JSON (a matrix, a report) is passed over.
Status add_scenario(const std::filesystem::path& file, std::vector<KnownScenario>& scenarios) {
  JsonDocument document = TRY(JsonDocument::read(file, "a scenario (a JSON object)"));
  if (!document.root().contains("model") && !document.root().contains("data")) return {};
  JsonReader root(document);
  std::string name = root.text("name");
  if (!root.has("name")) document.fail("/name", "nothing", "the scenario's name");
  if (!document.ok()) return document.error();
  scenarios.push_back({std::move(name), file});
  return {};
}

// The *.json directly in a folder, by name.
Result<std::vector<std::filesystem::path>> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) return file_error(folder, error.message(), "a folder of scenarios");
  for (const std::filesystem::directory_entry& entry : entries) {
    if (entry.path().extension() == ".json" && entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<KnownScenario>> list_scenarios(const std::vector<std::filesystem::path>& folders) {
  try {
    std::vector<KnownScenario> scenarios;
    for (const std::filesystem::path& folder : folders) {
      const std::vector<std::filesystem::path> files = TRY(json_files(folder));
      for (const std::filesystem::path& file : files) TRY(add_scenario(file, scenarios));
    }
    std::stable_sort(scenarios.begin(), scenarios.end(),
                     [](const KnownScenario& a, const KnownScenario& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < scenarios.size(); ++i) {
      if (scenarios[i].name != scenarios[i - 1].name) continue;
      return usage_error(one_line(scenarios[i].file.string() + ": /name: found " + in_quotes(scenarios[i].name) +
                                  ", which " + scenarios[i - 1].file.string() + " has too, expected another name"));
    }
    return scenarios;
  } catch (const std::exception& error) {
    return failure(one_line(std::string("scenarios cannot be listed: ") + error.what()));
  }
}

bool is_path(const std::string& scenario) {
  return scenario.find('/') != std::string::npos || scenario.ends_with(".json");
}

void add_scenario_files(const std::vector<std::string>& wanted, std::vector<KnownScenario>& known) {
  for (const std::string& name : wanted) {
    const auto same = [&](const KnownScenario& other) { return other.name == name; };
    if (is_path(name) && std::none_of(known.begin(), known.end(), same)) known.push_back({name, name});
  }
}

void add_scenario_files(const Matrix& matrix, std::vector<KnownScenario>& known) {
  add_scenario_files(values_of(matrix, kScenarioAxis), known);
}

}  // namespace gdbench::scenario
