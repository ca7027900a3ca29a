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
// Values of scenario and implementation are globs (* and ?) over the known names; a scenario's file may be given by its
// path, from the matrix's own folder. "axes" is optional.
struct Matrix {
  std::string name;
  std::string purpose;
  std::map<std::string, std::vector<std::string>> axes;  // every value as text, as in --set
  std::vector<std::map<std::string, std::string>> excludes;
  std::vector<std::map<std::string, std::string>> includes;
  std::string baseline = "loop/plain";
  std::filesystem::path file;
};

struct KnownScenario {
  std::string name;
  std::filesystem::path file;
};

// Paths of scenarios are from the current folder afterwards.
Result<Matrix> read_matrix(const std::filesystem::path& file);

// Whether a scenario is given by the path of its file and not by a name or a glob.
bool is_path(const std::string& scenario);

// Adds the scenarios that are given by their path, under it, to the known ones.
void add_scenario_files(const std::vector<std::string>& wanted, std::vector<KnownScenario>& known);
// The same of those that a matrix names.
void add_scenario_files(const Matrix& matrix, std::vector<KnownScenario>& known);

// Restrictions and overrides of the command line.
struct Selection {
  std::vector<std::string> scenario_globs;        // empty: as the matrix says
  std::vector<std::string> implementation_globs;  // empty: as the matrix says
  std::vector<Setting> settings;                  // beat the matrix's axis of the same key; of one key, alternatives
  std::vector<int> threads;                       // empty: as the matrix says
};

// A point of the matrix before its implementation was asked whether it can do this.
struct Point {
  std::string scenario;  // the name or the path that a command line asks for it by
  std::filesystem::path scenario_file;
  std::vector<Setting> scenario_settings;      // resolved from axes and --set, without impl.*
  std::string implementation;                  // an id
  std::map<std::string, std::string> options;  // impl.KEY without the prefix
  int threads = 1;
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
