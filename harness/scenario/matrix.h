// A matrix names axes and expands to the cells of a run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/scenario/scenario.h"

namespace gdbench {

class JsonDocument;
class JsonReader;

}  // namespace gdbench

namespace gdbench::scenario {

// The axes of a matrix that are no keys of scenarios.
constexpr const char* kScenarioAxis = "scenario";
constexpr const char* kImplementationAxis = "implementation";
constexpr const char* kThreadsAxis = "threads";
constexpr const char* kOptionPrefix = "impl.";
constexpr int kMaxThreads = 4096;

// A value of the axis threads: 1, 2, 4 ... up to the processors that a run may use, and their number.
constexpr const char* kPowersOfTwo = "powers of two";

// What a value of the axis threads stands for where a run may use so many processors. Nothing unless it is an integer
// from 1 to kMaxThreads or kPowersOfTwo.
std::optional<std::vector<int>> as_threads(const std::string& text, int processors);

// What a matrix file says:
// {
//   "name": "default", "purpose": "...",
//   "axes": { "scenario": ["linreg-*"], "implementation": ["hand/*"], "threads": [1] or "powers of two",
//             "dtype": ["f32", "f64"], "batch": [1, 32], "impl.KEY": [...], any --set key: [...] },
//   "exclude": [ { "scenario": "linreg-*", "batch": 1 } ],      // a cell is excluded when all keys of one entry match
//   "include": [ { "scenario": "mlp-784-128-10", "implementation": "hand/eigen", "batch": 256 } ],  // added cells
//   "if_usable": ["graph/jit", "pytorch/eager"],               // more implementations: those that can be used here
//   "baseline": "loop/plain"                                   // the implementation that ratios refer to
// }
// Values of scenario and implementation are globs over the known names; a scenario's file may be given by its path,
// from the matrix's own folder. "axes" is optional.
using Values = std::map<std::string, std::vector<std::string>>;  // by key, each as text, as in --set

struct Matrix {
  std::string name;
  std::string purpose;
  Values axes;
  std::vector<Values> excludes;  // these and the next have a value for each key
  std::vector<Values> includes;
  std::vector<std::string> if_usable;
  std::string baseline = "loop/plain";
  std::vector<std::string> gate;  // what run --against judges, as --gate says it
  std::filesystem::path file;
};

struct KnownScenario {
  std::string name;
  std::filesystem::path file;
};

struct KnownImplementation {
  std::string id;
  bool has_ranks = false;  // several processes train together
};

// The values of a key in its axes and includes.
std::vector<std::string> values_of(const Matrix& matrix, const std::string& key);

// The full keys that its cells have.
std::vector<std::string> keys_of(const Matrix& matrix);

// Whether it has other cells where a run may use more processors.
bool depends_on_machine(const Matrix& matrix);

// Paths of scenarios are from the current folder afterwards.
Result<Matrix> read_matrix(const std::filesystem::path& file);

// Whether a scenario is given by the path of its file and not by a name or a glob.
bool is_path(const std::string& scenario);

// Adds the scenarios that are given by their path, under it, to the known ones.
void add_scenario_files(const std::vector<std::string>& wanted, std::vector<KnownScenario>& known);
// The same of those that a matrix names.
void add_scenario_files(const Matrix& matrix, std::vector<KnownScenario>& known);

// Every *.json directly in the folders that is a scenario, by name. Errors: an unreadable folder, a name in two files.
Result<std::vector<KnownScenario>> list_scenarios(const std::vector<std::filesystem::path>& folders);

// The keys of an object, each with a scalar or, where `lists`, an array of them. Axes must be such.
Values read_values(JsonDocument& document, const std::string& pointer, const Json& object, bool lists,
                   bool are_axes = false);

// A scalar as text, as --set takes it; nothing for other values.
std::optional<std::string> scalar_text(const Json& value);

// For other documents that hold these parts of a matrix: reads axes, exclude and include of the object that `reader`
// stands for; faults go to its document.
void read_cells(JsonDocument& document, JsonReader& reader, Matrix& matrix);

}  // namespace gdbench::scenario
