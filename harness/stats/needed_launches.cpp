#include "harness/stats/needed_launches.h"

#include <algorithm>
#include <cmath>

namespace gdbench::stats {

int needed_launches(const Estimate& ratio, const Interval& range, int minimum_launches) {
  if (ratio.launches == 0 || ratio.within_one_process) return minimum_launches;
  double launches = minimum_launches;
  for (const double limit : {range.low, range.high}) {
    if (!(limit > ratio.interval.low && limit < ratio.interval.high)) continue;
    const double distance = std::abs(std::log(ratio.value / limit));
    const double width =
        std::log(limit < ratio.value ? ratio.value / ratio.interval.low : ratio.interval.high / ratio.value);
    const double factor = width / distance;
    launches = std::max({launches, std::ceil(ratio.launches * factor * factor), ratio.launches + 1.0});
  }
  return launches <= kMaxLaunchesWorthATry ? static_cast<int>(launches) : 0;
}

}  // namespace gdbench::stats
