#include "harness/scenario/matrix.h"

#include <algorithm>
#include <set>

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

bool depends_on_machine(const Matrix& matrix) {
  const auto axis = matrix.axes.find(kThreadsAxis);
  if (axis != matrix.axes.end() && std::ranges::find(axis->second, kPowersOfTwo) != axis->second.end()) return true;
  return std::ranges::any_of(matrix.includes, [](const auto& include) {
    const auto threads = include.find(kThreadsAxis);
    return threads != include.end() && threads->second == kPowersOfTwo;
  });
}

std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

namespace {

std::string read_scalar(JsonDocument& document, const std::string& pointer, const Json& value) {
  const std::optional<std::string> text = scalar_text(value);
  if (!text) document.fail(pointer, describe(value), "text, a number, true or false");
  return text.value_or("");
}

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

std::map<std::string, std::vector<std::string>> read_axes(JsonDocument& document, JsonReader& reader) {
  std::map<std::string, std::vector<std::string>> axes;
  const Json* found = reader.member("axes");
  if (found == nullptr) return axes;
  if (!found->is_object()) reader.fail("axes", "an object of arrays");
  if (!found->is_object()) return axes;
  for (const auto& entry : found->items()) {
    const std::string pointer = reader.pointer("axes") + "/" + pointer_part(entry.key());
    const Json values = entry.value().is_array() ? entry.value() : Json::array({entry.value()});
    if (values.empty()) document.fail(pointer, "an empty array", "at least one value");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string place = entry.value().is_array() ? pointer + "/" + std::to_string(i) : pointer;
      axes[entry.key()].push_back(read_scalar(document, place, values[i]));
      check_axis(document, place, entry.key(), axes[entry.key()].back());
    }
  }
  return axes;
}

std::vector<std::map<std::string, std::string>> read_entries(JsonDocument& document, JsonReader& reader,
                                                             const std::string& key) {
  std::vector<std::map<std::string, std::string>> entries;
  const Json* found = reader.member(key);
  if (found == nullptr) return entries;
  if (!found->is_array()) reader.fail(key, "an array of objects");
  if (!found->is_array()) return entries;
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& object = (*found)[i];
    const std::string pointer = reader.pointer(key) + "/" + std::to_string(i);
    if (!object.is_object() || object.empty()) document.fail(pointer, describe(object), "an object with keys");
    if (!object.is_object()) return entries;
    std::map<std::string, std::string> entry;
    for (const auto& member : object.items()) {
      entry[member.key()] = read_scalar(document, pointer + "/" + pointer_part(member.key()), member.value());
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

// A key of an exclude that no cell has would exclude nothing, silently.
void check_excludes(JsonDocument& document, const JsonReader& reader, const Matrix& matrix) {
  std::set<std::string> cell_keys = {kScenarioAxis, kImplementationAxis, kThreadsAxis};
  for (const auto& axis : matrix.axes) cell_keys.insert(axis.first);
  for (const auto& include : matrix.includes) {
    for (const auto& member : include) cell_keys.insert(member.first);
  }
  for (std::size_t i = 0; i < matrix.excludes.size(); ++i) {
    for (const auto& member : matrix.excludes[i]) {
      if (cell_keys.contains(member.first)) continue;
      const std::vector<std::string> known(cell_keys.begin(), cell_keys.end());
      document.fail(reader.pointer("exclude") + "/" + std::to_string(i) + "/" + pointer_part(member.first),
                    "a key that no axis has", "one of " + joined(known) + suggestion(member.first, known));
    }
  }
}

void check_includes(JsonDocument& document, const JsonReader& reader, const Matrix& matrix) {
  for (std::size_t i = 0; i < matrix.includes.size(); ++i) {
    for (const auto& [key, value] : matrix.includes[i]) {
      check_axis(document, reader.pointer("include") + "/" + std::to_string(i) + "/" + pointer_part(key), key, value);
    }
  }
}

std::string from_folder_of(const std::filesystem::path& file, const std::string& scenario) {
  return is_path(scenario) ? (file.parent_path() / scenario).lexically_normal().string() : scenario;
}

// Scenarios that are given by their path, as a matrix in `file` means them.
void resolve_scenario_files(const std::filesystem::path& file, Matrix& matrix) {
  if (const auto axis = matrix.axes.find(kScenarioAxis); axis != matrix.axes.end()) {
    for (std::string& scenario : axis->second) scenario = from_folder_of(file, scenario);
  }
  for (auto* entries : {&matrix.excludes, &matrix.includes}) {
    for (auto& entry : *entries) {
      const auto scenario = entry.find(kScenarioAxis);
      if (scenario != entry.end()) scenario->second = from_folder_of(file, scenario->second);
    }
  }
}

}  // namespace

void read_cells(JsonDocument& document, JsonReader& reader, Matrix& matrix) {
  matrix.axes = read_axes(document, reader);
  matrix.excludes = read_entries(document, reader, "exclude");
  matrix.includes = read_entries(document, reader, "include");
  resolve_scenario_files(matrix.file, matrix);
  check_includes(document, reader, matrix);
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
  if (const auto axis = matrix.axes.find(kScenarioAxis); axis != matrix.axes.end()) {
    add_scenario_files(axis->second, known);
  }
  for (const auto& include : matrix.includes) {
    if (const auto key = include.find(kScenarioAxis); key != include.end())
      add_scenario_files(std::vector<std::string>{key->second}, known);
  }
}

}  // namespace gdbench::scenario
