// What the values of --set take next to each other, as tables that all renderers share, and as a sentence.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"
#include "reports/answers/overview.h"
#include "reports/answers/table.h"

namespace gdbench::answers {

struct TitledTable {
  std::string title;
  Columns table;
};

class ValueWords {
 public:
  explicit ValueWords(const report::Report& report);

  // Of a scenario, by key, that has the first value of some keys: a table for each of these, with a row for each cell
  // and a column for each value.
  std::vector<TitledTable> of_scenario(const std::string& key) const;

  // "optimizer=adam takes 1.80x [1.70, 1.90] the time of optimizer=sgd in hand/eigen, 1.20x [1.10, 1.30] in
  // pytorch/eager.": of all pairs of values the one that is farthest apart where the first one is fastest, and there in
  // the fastest row of another strategy or framework. Empty where no ranked row has another value next to it.
  std::string sentence(const Overview& overview) const;

 private:
  // A comparison with what it names.
  struct Compared {
    const report::ValueComparison* values = nullptr;
    const report::Cell* first = nullptr;
    const report::ScenarioRecord* scenario = nullptr;  // of the cell
    const report::ScenarioRecord* first_scenario = nullptr;

    std::string setting_of(const report::ScenarioRecord& record) const;
    std::string work_words() const;  // empty where the work is the same
  };

  static document::Column column_of(const std::vector<const report::Cell*>& rows,
                                    const std::vector<Compared>& compared);

  std::vector<Compared> compared_;  // in the report's order
};

}  // namespace gdbench::answers
