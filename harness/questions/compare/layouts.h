// Builds that differ in the addresses of their code alone, in addition to those that are compared.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/report/comparison.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::compare {

// "linreg-3x2/hand/naive" of "linreg-3x2/hand/naive#base".
std::string id_without_arm(const report::Cell& cell);

// A cell of either side; one of them may be missing.
struct Match {
  const report::Cell* base = nullptr;
  const report::Cell* next = nullptr;
  std::string unlike{};  // what they do not have in common, in a sentence

  // Whether both have times, and of one scenario on the same data.
  bool decided_by_times() const {
    return base != nullptr && next != nullptr && base->summary && next->summary && unlike.empty();
  }
};

// What the addresses of code do to a comparison. A padded build is the same sources with bytes before each function
// (GDBENCH_CODE_PADDING): what it differs by is no change of the code. These are its cells, to be found by the cells of
// the build that it belongs to.
class Layouts {
 public:
  Layouts(const report::Report& report, const char* padded_arm) {
    for (const report::Cell& cell : report.cells) {
      if (cell.arm == padded_arm && cell.summary) padded_.emplace(id_without_arm(cell), &cell);
    }
  }

  // The cell itself first; then it in the padded build, where that has a time of it.
  std::vector<const report::Cell*> of(const report::Cell& cell) const {
    const auto found = padded_.find(id_without_arm(cell));
    return found == padded_.end() ? std::vector{&cell} : std::vector{&cell, found->second};
  }

  bool exist() const { return !padded_.empty(); }

 private:
  std::unordered_map<std::string, const report::Cell*> padded_;
};

// What two comparisons of one cell in other layouts say together: the ratio of the first, an interval that spans both,
// and a verdict only where they agree.
stats::Comparison agreed(const stats::Comparison& one, const stats::Comparison& other);

// How far a cell's layouts are from each other; as a share.
double layout_effect(const std::vector<const report::Cell*>& layouts);

// What layouts did to the cells, by their `layout`; or that they may matter, where none were measured.
std::vector<std::string> layout_remarks(const report::ReportComparison& comparison);

}  // namespace gdbench::compare
