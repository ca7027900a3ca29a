// Where one implementation is faster than another and where slower: along an axis of sizes, or along the number of
// steps. Documents of their own next to the report, which holds the samples they rest on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/stats/break_even.h"
#include "harness/stats/crossover.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

struct CrossoverPoint {
  std::int64_t size = 0;
  stats::Estimate a_step_ns;
  stats::Estimate b_step_ns;
  stats::Comparison comparison;  // time of A over time of B
};

// What would decide the sizes that the search left open.
struct CrossoverNeed {
  std::vector<std::int64_t> sizes;
  int launches = 0;           // about so many more, at all of them together; 0: no number that is worth a try
  double budget_seconds = 0;  // about what a search with those would take from its start
  double margin = 0;          // within which all of their intervals lie; 0: too large, or too few launches to say
};

struct Crossover {
  std::string scenario;
  // Implementation ids, behind "dtype=bf16/" where the sides differ in a setting, and with "@2" behind them where their
  // threads differ from the common number.
  std::string a;
  std::string b;
  std::string axis;
  double margin = 0;  // ratios this close to 1 make no winner
  double confidence = 0;
  std::vector<CrossoverPoint> points;  // by size
  stats::Crossover answer;
  bool complete = true;  // false: the budget was spent before the search was done
  std::optional<CrossoverNeed> need;
};

OrderedJson to_json(const Crossover& crossover);

// What one implementation costs before its steady steps, medians over the launches, and per step.
struct StartCost {
  std::string implementation;  // as in Crossover
  double load_seconds = 0;
  double prepare_seconds = 0;
  double first_step_ns = 0;
  double ready_ns = 0;  // of these, without imports, and of the first step what it takes beyond a steady one
  stats::Estimate step_ns;
};

struct StepsCrossover {
  std::string scenario;
  std::array<StartCost, 2> sides;  // A, B
  // The side whose steady step takes less; `answer` says from how many steps on it has overtaken the other.
  std::size_t faster = 0;
  stats::BreakEven answer;

  bool is_decided() const {
    return answer.overtaking != stats::Overtaking::at_earliest && answer.overtaking != stats::Overtaking::undecided;
  }
};

OrderedJson to_json(const StepsCrossover& crossover);

// The JSON schema of both.
OrderedJson crossover_schema();

}  // namespace gdbench::report
