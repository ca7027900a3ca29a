#include "harness/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "harness/stats/resampling.h"

namespace gdbench::stats {

namespace {

// Sums of other orders differ in the last digits; permutations that only swap the sides must count as equal.
constexpr double kRounding = 1e-9;

struct Segment {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
};

struct Split {
  double distance = 0;
  std::size_t border = 0;
};

double pairs_among(double count) { return count * (count - 1) / 2; }

// The best border of a segment by the scaled energy distance between the values before it and those behind it up to
// some end, which is the best one, too: another change may follow.
class Splitter {
 public:
  Split best(const std::vector<double>& values, const Segment& segment) {
    add_up(values, segment);
    const std::size_t count = segment.size();
    Split best{0, segment.first};
    double within_before = 0;
    for (std::size_t border = 1; border + kMinSegment <= count; ++border) {
      within_before += sum(border - 1, 0, border - 1);
      if (border < kMinSegment) continue;
      double within_behind = 0;
      double between = 0;
      for (std::size_t last = border; last < count; ++last) {
        within_behind += sum(last, border, last);
        between += sum(last, 0, border);
        if (last + 1 - border < kMinSegment) continue;
        const auto before = static_cast<double>(border);
        const auto behind = static_cast<double>(last + 1 - border);
        const double energy =
            2 * between / (before * behind) - within_before / pairs_among(before) - within_behind / pairs_among(behind);
        const double distance = before * behind / (before + behind) * energy;
        if (distance > best.distance) best = {distance, segment.first + border};
      }
    }
    return best;
  }

 private:
  // The distances of value i to those from `first` to before `end`.
  double sum(std::size_t i, std::size_t first, std::size_t end) const {
    const double* row = &sums_[i * (i + 1) / 2];
    return row[end] - row[first];
  }

  // Row i holds the sums of the distances of value i to the first 0 ... i values.
  void add_up(const std::vector<double>& values, const Segment& segment) {
    const std::size_t count = segment.size();
    sums_.resize(count * (count + 1) / 2);
    for (std::size_t i = 0; i < count; ++i) {
      double* row = &sums_[i * (i + 1) / 2];
      row[0] = 0;
      for (std::size_t j = 0; j < i; ++j) {
        row[j + 1] = row[j] + std::abs(values[segment.first + i] - values[segment.first + j]);
      }
    }
  }

  std::vector<double> sums_;
};

Split best_of(const std::vector<double>& values, const std::vector<Segment>& segments, Splitter& splitter) {
  Split best;
  for (const Segment& segment : segments) {
    if (segment.size() < 2 * kMinSegment) continue;
    const Split split = splitter.best(values, segment);
    if (split.distance > best.distance) best = split;
  }
  return best;
}

void permute(const Segment& segment, std::mt19937_64& generator, std::vector<double>& values) {
  for (std::size_t i = segment.size(); i > 1; --i) {
    std::swap(values[segment.first + i - 1], values[segment.first + draw_index(generator, i)]);
  }
}

bool is_significant(double distance, std::vector<double> values, const std::vector<Segment>& segments,
                    const ChangePointOptions& options, Splitter& splitter, std::mt19937_64& generator) {
  int as_far = 1;  // the order of time is one of them
  for (int i = 0; i < options.permutations; ++i) {
    for (const Segment& segment : segments) permute(segment, generator, values);
    if (best_of(values, segments, splitter).distance >= distance * (1 - kRounding)) ++as_far;
    if (as_far > options.significance * (options.permutations + 1)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> change_points(const std::vector<double>& values, const ChangePointOptions& options) {
  std::mt19937_64 generator(options.seed);
  Splitter splitter;
  std::vector<Segment> segments{{0, values.size()}};
  std::vector<std::size_t> borders;
  while (true) {
    const Split split = best_of(values, segments, splitter);
    if (!(split.distance > 0) || !is_significant(split.distance, values, segments, options, splitter, generator)) break;
    const auto divided = std::ranges::find_if(
        segments, [&](const Segment& segment) { return segment.first < split.border && split.border < segment.end; });
    const Segment behind{split.border, divided->end};
    divided->end = split.border;
    segments.insert(divided + 1, behind);
    borders.push_back(split.border);
  }
  std::ranges::sort(borders);
  return borders;
}

}  // namespace gdbench::stats
