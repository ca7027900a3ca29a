// Where one implementation overtakes another: along an axis of sizes, or along the number of steps. Documents of their
// own beside the report, which holds the samples they rest on.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/stats/break_even.h"
#include "harness/stats/crossover.h"
#include "harness/stats/estimate.h"

namespace gdbench::result {

struct CrossoverPoint {
  std::int64_t size = 0;
  stats::Estimate a_step_ns;
  stats::Estimate b_step_ns;
  stats::Comparison comparison;  // time of A over time of B
};

struct Crossover {
  std::string scenario;
  std::string a;  // implementation ids
  std::string b;
  std::string axis;
  double margin = 0;  // ratios this close to 1 make no winner
  double confidence = 0;
  std::vector<CrossoverPoint> points;  // by size
  stats::Crossover answer;
  bool complete = true;  // false: the budget was spent before the search was done
};

nlohmann::json to_json(const Crossover& crossover);

// What one implementation costs before its steady steps, medians over the launches, and per step.
struct StartCost {
  std::string implementation;
  double load_seconds = 0;
  double prepare_seconds = 0;
  double first_step_ns = 0;
  stats::Estimate step_ns;
};

struct StepsCrossover {
  std::string scenario;
  std::array<StartCost, 2> sides;  // A, B
  // The side whose steady step takes less; `answer` says from how many steps on it has overtaken the other.
  std::size_t faster = 0;
  stats::BreakEven answer;
};

nlohmann::json to_json(const StepsCrossover& crossover);

}  // namespace gdbench::result
