#include "harness/scenario/data_source.h"

#include <algorithm>

#include "harness/base/fields.h"
#include "harness/base/file.h"
#include "harness/base/record_writer.h"
#include "harness/base/text.h"
#include "harness/scenario/constraints.h"

namespace gdbench::scenario {

using catalogue::name_of;

namespace {

SyntheticData read_synthetic(JsonReader& reader) {
  SyntheticData data;
  data.kind = reader.choice("kind", catalogue::all_of<SyntheticKind>());
  if (data.kind == SyntheticKind::gradients) {
    // As many as the model has parameters: complete_gradients.
    data.rows = 1;
    data.outputs = 0;
    data.noise = 0;
    data.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
    return data;
  }
  data.rows = reader.integer("rows", {1, kMaxRows}, std::nullopt);
  data.features = reader.integer("features", {1, kMaxColumns}, std::nullopt);
  const bool blobs = data.kind == SyntheticKind::blobs;
  // Every class gets a row.
  const IntegerRange outputs =
      blobs ? IntegerRange{2, std::max<std::int64_t>(2, data.rows)} : IntegerRange{1, kMaxColumns};
  data.outputs = reader.integer("outputs", outputs, blobs ? std::nullopt : std::optional<std::int64_t>(1));
  data.noise = reader.number("noise", {0, false}, 0.1);
  data.seed = static_cast<std::uint64_t>(reader.integer("seed", kSeeds, 1));
  data.condition = reader.number("condition", {1, false}, 1.0);
  if (data.condition != 1 && data.kind != SyntheticKind::linear) {
    reader.fail("condition", "a condition with the kind " + in_quotes(name_of(data.kind)), "the kind \"linear\"");
  }
  data.density = reader.number("density", {0, true}, 1.0);
  if (data.density > 1) reader.fail("density", "a number above 0 and up to 1");
  return data;
}

// A path relative to the scenario's folder; the file must be there.
std::filesystem::path read_path(JsonReader& reader, const std::string& key, const std::filesystem::path& folder) {
  std::filesystem::path path = reader.text(key);
  if (!reader.has(key)) return path;
  const std::string reason = path.empty() ? "no path" : unreadable_because(folder / path);
  if (!reason.empty()) reader.fail(key, in_quotes(path.string()) + " (" + reason + ")", "a file that can be read");
  return path;
}

// Of columns that are named.
void check_targets(JsonReader& reader, const auto& data) {
  for (const std::string& target : data.targets) {
    if (std::ranges::find(data.features, target) == data.features.end()) continue;
    reader.fail("targets", in_quotes(target) + ", which is a feature as well", "other columns than the features");
  }
}

CsvData read_csv(JsonReader& reader, const std::filesystem::path& folder) {
  CsvData data;
  data.path = read_path(reader, "path", folder);
  data.features = reader.texts("features", std::vector<std::string>{});
  data.targets = reader.texts("targets");
  if (data.targets.empty() && reader.has("targets")) reader.fail("targets", "at least one column");
  check_targets(reader, data);
  data.one_hot = reader.texts("one_hot", std::vector<std::string>{});
  for (const std::string& name : data.one_hot) {
    const bool is_target = std::ranges::find(data.targets, name) != data.targets.end();
    const bool left_out = !data.features.empty() && std::ranges::find(data.features, name) == data.features.end();
    if (is_target || left_out)
      reader.fail("one_hot", in_quotes(name) + ", which is no feature", "some of the features");
  }
  data.empty_cells = reader.choice("empty_cells", catalogue::all_of<EmptyCells>(), EmptyCells::reject);
  return data;
}

// Columns of a streamed file: names in a CSV file, numbers from 0 in an NPY file.
std::vector<std::string> read_columns(JsonReader& reader, const std::string& key, bool numbers) {
  if (!numbers) return reader.texts(key, std::vector<std::string>{});
  std::vector<std::string> columns;
  const Json* values = reader.member(key);
  if (values == nullptr) return columns;
  const bool all_numbers = values->is_array() && std::all_of(values->begin(), values->end(), [](const Json& value) {
                             return value.is_number_integer() && value >= 0 && value < kMaxColumns;
                           });
  if (!all_numbers) {
    reader.fail(key, "an array of column numbers, from 0");
    return columns;
  }
  for (const Json& value : *values) columns.push_back(value.dump());
  return columns;
}

StreamData read_stream(JsonReader& reader, const std::filesystem::path& folder) {
  constexpr IntegerRange kCaps = {1, INT64_MAX};
  StreamData data;
  data.path = read_path(reader, "path", folder);
  const std::string extension = data.path.extension().string();
  if (reader.has("path") && extension != ".csv" && extension != ".npy") {
    reader.fail("path", in_quotes(data.path.string()), "a .csv or .npy file");
  }
  data.features = read_columns(reader, "features", extension == ".npy");
  data.targets = read_columns(reader, "targets", extension == ".npy");
  if (data.targets.empty()) reader.fail("targets", "at least one column");
  check_targets(reader, data);
  data.memory_cap = reader.integer("memory_cap", kCaps, data.memory_cap);
  return data;
}

}  // namespace

Data read_data(JsonReader reader, const std::filesystem::path& folder) {
  const auto source = reader.choice("source", catalogue::all_of<Source>());
  Data data;
  if (!reader.has("source")) {
    reader.finish({"kind", "rows", "features", "outputs", "noise", "seed", "condition", "density"});
    return data;
  }
  switch (source) {
    case Source::synthetic:
      data = read_synthetic(reader);
      break;
    case Source::csv:
      data = read_csv(reader, folder);
      break;
    case Source::npy:
      data = NpyData{read_path(reader, "x", folder), read_path(reader, "y", folder)};
      break;
    case Source::idx:
      data = IdxData{read_path(reader, "x", folder), read_path(reader, "labels", folder)};
      break;
    case Source::stream:
      data = read_stream(reader, folder);
      break;
  }
  reader.finish();
  return data;
}

void fields(auto& archive, Of<SyntheticData> auto& data) {
  FIELDS(archive, data, kind, seed);
  if (data.kind == SyntheticKind::gradients) return;
  FIELDS(archive, data, rows, features, outputs, noise);
  // As with the target: absent where they change nothing, for the identity's sake.
  if (data.condition != 1) archive.field("condition", data.condition);
  if (data.density != 1) archive.field("density", data.density);
}
void fields(auto& archive, Of<CsvData> auto& data) {
  FIELDS(archive, data, path, features, targets, empty_cells);
  archive.unless_empty("one_hot", data.one_hot);
}
FIELDS_OF(NpyData, x, y)
FIELDS_OF(IdxData, x, labels)
FIELDS_OF(StreamData, path, features, targets, memory_cap)

Json to_json(const Data& data) {
  Json json = std::visit([](const auto& source) -> Json { return RecordWriter::encode(source); }, data);
  json["source"] = name_of(static_cast<Source>(data.index()));
  const auto* stream = std::get_if<StreamData>(&data);
  if (stream == nullptr || stream->path.extension() != ".npy") return json;
  for (const char* key : {"features", "targets"}) {  // an NPY file's columns are numbers
    for (Json& column : json[key]) column = std::stoll(column.get<std::string>());
  }
  return json;
}

Data in_folder(Data data, const std::filesystem::path& folder) {
  const auto move = [&](std::filesystem::path& path) { path = (folder / path).lexically_normal(); };
  std::visit(
      [&](auto& source) {
        if constexpr (requires { source.path; }) move(source.path);
        if constexpr (requires { source.x; }) move(source.x);
        if constexpr (requires { source.y; }) move(source.y);
        if constexpr (requires { source.labels; }) move(source.labels);
      },
      data);
  return data;
}

}  // namespace gdbench::scenario
