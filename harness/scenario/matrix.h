// A matrix names axes and expands to the cells of a run.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

// What a matrix file says:
// {
//   "name": "default", "purpose": "...",
//   "axes": { "scenario": ["linreg-*"], "implementation": ["hand/*"], "threads": [1],
//             "dtype": ["f32", "f64"], "batch": [1, 32], "impl.KEY": [...], any --set key: [...] },
//   "exclude": [ { "scenario": "linreg-*", "batch": 1 } ],      // a cell is excluded when all keys of one entry match
//   "include": [ { "scenario": "mlp-784-128-10", "implementation": "hand/eigen", "batch": 256 } ],  // added cells
//   "baseline": "loop/plain"                                   // the implementation that ratios refer to
// }
// Values of scenario and implementation are globs (* and ?) over the known names; "axes" is optional.
struct Matrix {
  std::string name;
  std::string purpose;
  std::map<std::string, std::vector<std::string>> axes;  // every value as text, as in --set
  std::vector<std::map<std::string, std::string>> excludes;
  std::vector<std::map<std::string, std::string>> includes;
  std::string baseline = "loop/plain";
  std::filesystem::path file;
};

Result<Matrix> read_matrix(const std::filesystem::path& file);

// Restrictions and overrides of the command line.
struct Selection {
  std::vector<std::string> scenario_globs;        // empty: as the matrix says
  std::vector<std::string> implementation_globs;  // empty: as the matrix says
  std::vector<Setting> settings;                  // beat the matrix's axis of the same key
  std::vector<int> threads;                       // empty: as the matrix says
};

// A point of the matrix before its implementation was asked whether it can do this.
struct Point {
  std::filesystem::path scenario_file;
  std::vector<Setting> scenario_settings;      // resolved from axes and --set, without impl.*
  std::string implementation;                  // an id
  std::map<std::string, std::string> options;  // impl.KEY without the prefix
  int threads = 1;
};

struct KnownScenario {
  std::string name;
  std::filesystem::path file;
};

// Every *.json directly in the folders that is a scenario, by name. Errors: an unreadable folder, two files of one
// name.
Result<std::vector<KnownScenario>> list_scenarios(const std::vector<std::filesystem::path>& folders);

// Expands to points in a stable order (scenario, then settings, then implementation). A glob that matches
// nothing is an error that lists what there is. Linear in the number of points.
Result<std::vector<Point>> expand(const Matrix& matrix, const Selection& selection,
                                  const std::vector<KnownScenario>& scenarios,
                                  const std::vector<std::string>& implementations);

// Shell-style match with * and ?.
bool glob_match(const std::string& pattern, const std::string& text);

}  // namespace gdbench::scenario
