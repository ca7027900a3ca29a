#include "reports/answers/forest.h"

#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

document::Rows forest_of(std::string axis_title) {
  return {.axes = {{.title = std::move(axis_title),
                    .text = [](double ratio) { return formatted("%.6gx", ratio); },
                    .logarithmic = true}},
          .line = 1};
}

document::Rows forest_of(std::string axis_title, double margin) {
  document::Rows rows = forest_of(std::move(axis_title));
  rows.band = stats::margin_range(margin);
  rows.band_name = "margin of " + format_percent(margin);
  return rows;
}

}  // namespace gdbench::answers
