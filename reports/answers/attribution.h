// What the differences of a run are made of, as tables and sentences that the console and Markdown share.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/report/report.h"
#include "reports/answers/table.h"

namespace gdbench::answers {

// Only whole steps can be made: "41"; "never" for infinitely many.
std::string format_steps(double steps);
// "after 41 steps [30, 55]", "from the start".
std::string overtaking_words(const stats::BreakEven& result);
// "a overtakes b after 41 steps [30, 55]: it is ready later and its step is shorter", or what leaves an end open.
std::string break_even_words(const stats::BreakEven& result, const std::string& cell, const std::string& other);

class AttributionWords {
 public:
  explicit AttributionWords(const report::Report& report);

  // What each strategy costs over the reference strategy on the same backend. Empty (no rows) where nothing is known.
  Columns taxes(const std::string& scenario_key) const;
  // "graph/onednn overtakes tape/onednn after 41 steps [30, 55], ...": one sentence for each cell that is faster than
  // others but ready later.
  std::vector<std::string> break_evens(const std::string& scenario_key) const;
  // The fitted costs of each implementation.
  Columns fits() const;
  // "what the strategy costs, over hand on the same backend"
  std::string tax_title() const;

 private:
  // The records of one scenario, in the report's order.
  struct OfScenario {
    std::vector<const report::FrameworkTax*> taxes;
    std::vector<const report::BreakEvenRecord*> break_evens;
  };

  const report::Attribution& attribution_;  // empty where the report has none
  std::unordered_map<std::string, const report::Cell*> cells_;
  std::unordered_map<std::string, OfScenario> scenarios_;  // by key
};

constexpr const char* kFitTitle = "time of a step = a + b x kernel calls + c x operations, fitted over the scenarios";

}  // namespace gdbench::answers
