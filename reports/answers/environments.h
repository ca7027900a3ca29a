// One implementation in several Python environments, which were measured side by side.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/stats/estimate.h"
#include "reports/answers/overview_sentences.h"

namespace gdbench::answers {

struct EnvironmentComparison {
  const report::Cell* first = nullptr;  // in the first environment of the report that has it
  const report::Cell* other = nullptr;  // all else the same
  stats::Comparison comparison;         // of the other's steps to the first's, paired by launch and round
};

// Of cells with a time, controls left out; in the report's order.
std::vector<EnvironmentComparison> environment_comparisons(const report::Report& report);

// "numpy/inplace takes 1.12x [1.09, 1.15] as long in new (numpy 2.4.6) as in old (numpy 2.3.5): slower", with what the
// builds of both do not share. Why there is no verdict stands behind it in parentheses.
std::string environment_words(const EnvironmentComparison& compared);

// Those words for each environment but the first, of the scenario where the two are farthest apart. Nothing where
// several implementations are there in environments: the tables have the ratios.
void add_environments(const report::Report& report, std::vector<Sentence>& sentences);

}  // namespace gdbench::answers
