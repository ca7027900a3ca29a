// From a matrix to the points of a run. No scenario file is read here.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/globs.h"
#include "harness/base/result.h"
#include "harness/scenario/matrix.h"

namespace gdbench::scenario {

// Restrictions and overrides of the command line.
struct Selection {
  Globs scenarios;                // without wanted ones: as the matrix says
  Globs implementations;          // likewise
  std::vector<Setting> settings;  // beat the matrix's axis of the same key; of one key, alternatives
  std::vector<int> threads;       // empty: as the matrix says
  int processors = 1;             // that the run may use, for a matrix that says kPowersOfTwo
};

// A point of the matrix before its implementation was asked whether it can do this.
struct Point {
  std::string scenario;  // the name or the path that a command line asks for it by
  std::filesystem::path scenario_file;
  std::vector<Setting> scenario_settings;      // resolved from axes and --set, without impl.*
  std::string implementation;                  // an id
  std::map<std::string, std::string> options;  // impl.KEY without the prefix
  int threads = 1;
  std::map<std::string, std::string> alternatives{};  // those of the settings whose key --set gives several values
};

// What points have in common whose scenarios differ in alternatives alone: the file and all other settings.
std::string base_of(const Point& point);

// Expands to points in a stable order (scenario, then settings, then implementation). A glob that matches
// nothing is an error that lists what there is. Several processes that train together are selected only by globs that
// name what they are, the policy or else the mode: their cells need the processors of several others. More than
// 100,000 points, or a million settings together, before exclusions, are an error. Linear in the number of points.
Result<std::vector<Point>> expand(const Matrix& matrix, const Selection& selection,
                                  const std::vector<KnownScenario>& scenarios,
                                  const std::vector<KnownImplementation>& implementations);

}  // namespace gdbench::scenario
