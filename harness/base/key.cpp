#include "harness/base/key.h"

#include <cmath>

#include "harness/base/text.h"

namespace gdbench {

std::string expectation_of(IntegerRange range) {
  return "an integer from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string expectation_of(NumberRange range) {
  const bool is_bounded = std::isfinite(range.below) || range.most < std::numeric_limits<double>::max();
  if (!is_bounded && range.least == 0) return range.open ? "a positive number" : "a number of at least 0";
  const std::string least = (range.open   ? "a number above "
                             : is_bounded ? "a number from "
                                          : "a number of at least ") +
                            formatted("%g", range.least);
  if (!is_bounded) return least;
  const std::string most = std::isfinite(range.below) ? "below " + formatted("%g", range.below)
                                                      : (range.open ? "up to " : "") + formatted("%g", range.most);
  return least + (range.open ? " and " : " to ") + most;
}

}  // namespace gdbench
