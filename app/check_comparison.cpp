#include "app/check_comparison.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/invocation.h"
#include "harness/base/text.h"
#include "harness/questions/fairness/comparison.h"
#include "harness/questions/fairness/description.h"
#include "reports/render/fairness.h"

namespace gdbench::app {

int check_comparison(const std::string& file_a, const std::string& file_b, bool json) {
  const Result<fairness::Description> a = fairness::read_description(file_a);
  if (!a.ok()) return report_error(a.error());
  const Result<fairness::Description> b = fairness::read_description(file_b);
  if (!b.ok()) return report_error(b.error());
  if (a->name == b->name) {
    return report_error(usage_error(one_line(file_b) + ": /name: found " + in_quotes(b->name) + ", which " +
                                    one_line(file_a) + " has too, expected another name"));
  }
  const fairness::Comparison comparison = fairness::compare(a.value(), b.value());
  if (json) {
    std::cout << fairness::to_json(comparison).dump(2) << "\n";
  } else {
    std::cout << render::fairness_words(comparison, terminal_width());
  }
  return kFine;
}

}  // namespace gdbench::app
