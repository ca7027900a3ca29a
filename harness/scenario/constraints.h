// What must fit together in a scenario beyond each key for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

// Limits of sizes: what a 32-bit row index, or a machine that anyone runs this on, can hold.
constexpr std::int64_t kMaxRows = INT32_MAX;
constexpr std::int64_t kMaxColumns = std::int64_t{1} << 20;
constexpr std::int64_t kMaxParameters = 1'000'000'000;
constexpr std::int64_t kMaxTensors = 100'000;

struct Fault {
  std::string pointer;
  std::string found;
  std::string expected;
};

// The data's shape, known from the scenario for synthetic data and from the files otherwise.
struct DataShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 0;  // targets or classes
};

// The kind of the data's targets against the loss, standardisation and output layer; task, model, data and batches
// against each other.
std::optional<Fault> find_target_fault(const Scenario& scenario);

// Output width, batch rows and number of parameters against the data's shape.
std::optional<Fault> find_shape_fault(const Scenario& scenario, const DataShape& shape);

// The model's layers on data of that shape; the task update's tensors as layers [rows, columns], each by itself.
std::vector<Layer> layers_of(const Model& model, const DataShape& shape);

}  // namespace gdbench::scenario
