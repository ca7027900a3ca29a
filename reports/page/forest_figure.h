// A forest plot: ratios with their intervals, a row each, around 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/stats/estimate.h"
#include "reports/page/parts.h"

namespace gdbench::page {

// What was found of a row: its hue and the shape of its mark, which stands beside the word for it, too.
enum class Finding { worse, better, alike, open, failed, passed };

struct ForestRow {
  std::string group{};  // rows of a group stand together under its name; empty: under none
  std::string label{};
  std::string word{};    // for the finding
  std::string figure{};  // the ratio as it is told; may be empty
  Finding finding = Finding::open;
  std::optional<stats::Estimate> ratio{};   // nothing is drawn of what is not positive
  std::vector<double> dots{};               // ratios that are shown beside it
  std::optional<stats::Interval> wanted{};  // where a ratio should lie; an end of 0 or infinity is no limit
};

struct Forest {
  Figure figure{};                        // but for its height
  std::string axis{};                     // what the ratios are of
  std::optional<stats::Interval> band{};  // what counts as no difference,
  std::string band_name{};                // and how it is called
  std::vector<ForestRow> rows{};          // groups are in the order of their first rows
};

// Adds nothing where there are no rows. The axis holds all ratios, dots, limits and the band; of an interval that is
// much longer than all of these, an arrow shows that it goes on.
void add_forest(Markup& markup, const Forest& forest);

// For the sentence of its figure.
constexpr const char* kForestWords =
    "Lines are intervals, and an arrow ends one that goes on beyond the axis. The vertical line is a ratio of 1.";

}  // namespace gdbench::page
