// What tests of scenarios and data share: a temporary folder, and scenarios written into it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/data/dataset.h"
#include "harness/scenario/scenario.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::tests {

class Files : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);  // ext4 flushes a file that is cut to nothing and written again: milliseconds
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

  std::filesystem::path write_json(const nlohmann::json& scenario, const std::string& name = "s.json") const {
    return write(name, scenario.dump());
  }

  // The error of reading, or "" where it succeeds.
  std::string read_error(const nlohmann::json& scenario, const std::vector<scenario::Setting>& settings = {}) const {
    const Result<scenario::Scenario> read = scenario::read_scenario(write_json(scenario), settings);
    return read.ok() ? "" : read.error().message.substr(folder_.string().size() + 1);
  }

  // What is read, with what it leaves out; text where reading fails.
  nlohmann::json resolved(const nlohmann::json& scenario, const std::vector<scenario::Setting>& settings = {}) const {
    const Result<scenario::Scenario> read = scenario::read_scenario(write_json(scenario), settings);
    return read.ok() ? nlohmann::json(to_json(read.value())) : nlohmann::json(read.error().message);
  }

  // The error of reading, of making the data or the problem, or "".
  std::string data_error(const nlohmann::json& scenario, const std::vector<scenario::Setting>& settings = {}) const {
    const Result<scenario::Scenario> read = scenario::read_scenario(write_json(scenario), settings);
    if (!read.ok()) return read.error().message.substr(folder_.string().size() + 1);
    const Result<data::Dataset> dataset = data::make_dataset(read.value());
    if (!dataset.ok()) return dataset.error().message.substr(folder_.string().size() + 1);
    const Result<scenario::Problem> problem = data::make_problem(read.value(), dataset.value());
    return problem.ok() ? "" : problem.error().message.substr(folder_.string().size() + 1);
  }

  data::Dataset dataset(const nlohmann::json& scenario, const std::vector<scenario::Setting>& settings = {}) const {
    Result<scenario::Scenario> read = scenario::read_scenario(write_json(scenario), settings);
    if (!read.ok()) throw std::runtime_error(read.error().message);
    Result<data::Dataset> made = data::make_dataset(read.value());
    if (!made.ok()) throw std::runtime_error(made.error().message);
    return std::move(made).value();
  }

  const TemporaryFolder own_folder_;
  const std::filesystem::path& folder_ = own_folder_.path();
};

inline nlohmann::json linear_scenario() {
  return nlohmann::json::parse(R"({
    "name": "linear", "model": {"kind": "linear_regression"},
    "data": {"source": "synthetic", "kind": "linear", "rows": 20, "features": 3},
    "optimizer": {"learning_rate": 0.05}})");
}

inline nlohmann::json perceptron_scenario() {
  return nlohmann::json::parse(R"({
    "name": "perceptron", "purpose": "p", "favours": "f", "task": "train",
    "model": {"kind": "multilayer_perceptron",
              "layers": [{"width": 5, "activation": "relu", "bias": true},
                         {"width": 4, "activation": "tanh", "bias": false},
                         {"width": 3, "activation": "identity"}]},
    "loss": "softmax_cross_entropy",
    "data": {"source": "synthetic", "kind": "blobs", "rows": 30, "features": 2, "outputs": 3, "noise": 0.5, "seed": 7},
    "standardise": {"features": true, "targets": false},
    "batch": {"rows": 8, "shuffle": true, "seed": 3},
    "optimizer": {"kind": "sgd", "learning_rate": 0.05}, "dtype": "f64", "steps": 12, "initial_seed": 9})");
}

inline nlohmann::json csv_scenario() {
  return nlohmann::json::parse(R"({
    "name": "table", "model": {"kind": "linear_regression"}, "dtype": "f64",
    "data": {"source": "csv", "path": "table.csv", "targets": ["y"]}, "optimizer": {"learning_rate": 0.05}})");
}

}  // namespace gdbench::tests
