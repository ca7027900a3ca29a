// A resolved scenario as JSON, and its identity.
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/scenario/names.h"
#include "harness/scenario/optimizers.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/target.h"

namespace gdbench::scenario {

namespace {

Json to_json(const Model& model) {
  if (const auto* regression = std::get_if<LinearRegression>(&model)) {
    return {{"kind", name_of(ModelKind::linear_regression)}, {"bias", regression->bias}};
  }
  if (const auto* tensors = std::get_if<Tensors>(&model)) {
    Json groups = Json::array();
    for (const TensorGroup& group : tensors->groups) {
      groups.push_back({{"rows", group.rows}, {"columns", group.columns}, {"count", group.count}});
    }
    return {{"kind", name_of(ModelKind::tensors)}, {"tensors", std::move(groups)}};
  }
  Json layers = Json::array();
  for (const PerceptronLayer& layer : std::get<MultilayerPerceptron>(model).layers) {
    layers.push_back({{"width", layer.width}, {"activation", name_of(layer.activation)}, {"bias", layer.bias}});
  }
  return {{"kind", name_of(ModelKind::multilayer_perceptron)}, {"layers", std::move(layers)}};
}

struct DataToJson {
  Json operator()(const SyntheticData& data) const {
    if (data.kind == SyntheticKind::gradients) {
      return {{"source", name_of(Source::synthetic)}, {"kind", name_of(data.kind)}, {"seed", data.seed}};
    }
    Json result = {{"source", name_of(Source::synthetic)},
                   {"kind", name_of(data.kind)},
                   {"rows", data.rows},
                   {"features", data.features},
                   {"outputs", data.outputs},
                   {"noise", data.noise},
                   {"seed", data.seed}};
    // As with the target: absent where they change nothing, for the identity's sake.
    if (data.condition != 1) result["condition"] = data.condition;
    if (data.density != 1) result["density"] = data.density;
    return result;
  }
  Json operator()(const CsvData& data) const {
    return {{"source", name_of(Source::csv)},
            {"path", data.path.string()},
            {"features", data.features},
            {"targets", data.targets},
            {"empty_cells", name_of(data.empty_cells)}};
  }
  Json operator()(const NpyData& data) const {
    return {{"source", name_of(Source::npy)}, {"x", data.x.string()}, {"y", data.y.string()}};
  }
  Json operator()(const IdxData& data) const {
    return {{"source", name_of(Source::idx)}, {"x", data.x.string()}, {"labels", data.labels.string()}};
  }
  Json operator()(const StreamData& data) const {
    return {{"source", name_of(Source::stream)},
            {"path", data.path.string()},
            {"features", columns(data, data.features)},
            {"targets", columns(data, data.targets)},
            {"memory_cap", data.memory_cap}};
  }

 private:
  // An NPY file's columns are numbers.
  static Json columns(const StreamData& data, const std::vector<std::string>& names) {
    Json result = Json::array();
    for (const std::string& name : names) {
      result.push_back(data.path.extension() == ".npy" ? Json(std::stoll(name)) : Json(name));
    }
    return result;
  }
};

}  // namespace

Json to_json(const Scenario& scenario) {
  Json batch = "full";  // shuffling and its seed have no effect then
  if (scenario.batch.rows) {
    batch = {{"rows", *scenario.batch.rows}, {"shuffle", scenario.batch.shuffle}, {"seed", scenario.batch.seed}};
  }
  if (scenario.batch.micro_batches > 1) {
    if (!scenario.batch.rows) batch = {{"rows", "full"}};
    batch["micro_batches"] = scenario.batch.micro_batches;
  }
  Json result = {
      {"name", scenario.name},
      {"purpose", scenario.purpose},
      {"favours", scenario.favours},
      {"task", name_of(scenario.task)},
      {"model", to_json(scenario.model)},
      {"loss", name_of(scenario.loss.kind)},
      {"data", std::visit(DataToJson{}, scenario.data)},
      {"standardise", {{"features", scenario.standardise.features}, {"targets", scenario.standardise.targets}}},
      {"batch", std::move(batch)},
      {"optimizer", to_json(scenario.optimizer, scenario.schedule)},
      {"dtype", name_of(scenario.dtype)},
      {"steps", scenario.steps},
      {"initial_seed", scenario.initial_seed}};
  if (scenario.loss.kind == Loss::huber) result["huber_delta"] = scenario.loss.huber_delta;
  // Absent where there is none: the identity of other scenarios stays what it was before there were targets.
  if (scenario.target) result["target"] = to_json(*scenario.target);
  return result;
}

std::string Scenario::identity() const {
  Json resolved = to_json(*this);
  resolved.erase("purpose");
  resolved.erase("favours");
  // nlohmann keeps keys sorted and writes the shortest digits that give the same double.
  Hash64 hash;
  hash.add(resolved.dump(-1, ' ', true, Json::error_handler_t::replace));
  return hexadecimal(hash.value());
}

Scenario with_absolute_paths(Scenario scenario) {
  const std::filesystem::path folder = std::filesystem::absolute(scenario.file).parent_path();
  const auto absolute = [&](std::filesystem::path& path) { path = (folder / path).lexically_normal(); };
  if (auto* csv = std::get_if<CsvData>(&scenario.data)) absolute(csv->path);
  if (auto* npy = std::get_if<NpyData>(&scenario.data)) {
    absolute(npy->x);
    absolute(npy->y);
  }
  if (auto* stream = std::get_if<StreamData>(&scenario.data)) absolute(stream->path);
  if (auto* idx = std::get_if<IdxData>(&scenario.data)) {
    absolute(idx->x);
    absolute(idx->labels);
  }
  return scenario;
}

}  // namespace gdbench::scenario
