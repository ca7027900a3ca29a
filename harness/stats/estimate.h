// Estimates with intervals from samples that are clustered by launch, and the one function that gives a verdict.
//
// A launch has one figure: the least of its values, as interruptions only add time; of two cells the ratio or the
// difference of their least values. Launches are independent, the values of one are not. The estimate is the median of
// the launches' figures. Its interval:
// - order statistics (the sign test's): exact for any distribution, from min_launches() on;
// - Student's t of the figures (logarithms of times and ratios) for fewer: wide, as it must be, and no worse with tails
//   as heavy as timings have, since they widen it more than they move the mean;
// - of a single launch the same of the values within it, marked as `within one process`: it says nothing of others.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::stats {

using catalogue::name_of;
using catalogue::Named;

// Medians of the values; 0 for none. median_absolute_deviation is not scaled to a standard deviation.
double median(std::vector<double> values);
double median_absolute_deviation(std::vector<double> values);

// A value with the launch it was measured in.
struct Observation {
  int launch = 0;
  double value = 0;
};

// In the unit of its value.
struct Interval {
  double low = 0;
  double high = 0;
};

enum class IntervalMethod { order_statistics, student, bootstrap, every_look };
inline constexpr Named<IntervalMethod> kIntervalMethods[] = {{IntervalMethod::order_statistics, "order statistics"},
                                                             {IntervalMethod::student, "Student's t"},
                                                             {IntervalMethod::bootstrap, "bootstrap"},
                                                             {IntervalMethod::every_look, "at every look"}};
constexpr const auto& rows_of(IntervalMethod /*any*/) { return kIntervalMethods; }

struct Estimate {
  double value = 0;  // the median over launches, in the unit that its key names
  Interval interval;
  int launches = 0;
  bool within_one_process = false;         // a single launch: nothing is known of others
  std::optional<IntervalMethod> method{};  // absent where the interval is a single value
};

constexpr double kConfidence = 0.95;

// Of positive values: median over launches of each one's least.
Estimate typical_time(std::span<const Observation> observations, double confidence = kConfidence);

// Two values of the same launch group and round.
struct Pair {
  int launch = 0;
  double base = 0;
  double candidate = 0;
};

// How often one looks at an interval while launches are added: once, at a number of them that was fixed before, or
// after every one, to end where it decides (sequential.h).
enum class Looks { one, every };

// candidate / base. Values must be positive.
Estimate paired_ratio(std::span<const Pair> pairs, double confidence = kConfidence, Looks looks = Looks::one);

// candidate - base, in the unit of the values.
Estimate paired_difference(std::span<const Pair> pairs, double confidence = kConfidence);

// How sure each of two intervals has to be so that both hold with `confidence` (C. E. Bonferroni).
constexpr double confidence_of_each(double confidence) { return 1 - (1 - confidence) / 2; }

// candidate / base of two estimates that were not measured side by side, both positive. The interval holds wherever
// both of theirs do, and knows nothing of what changed between the two.
Estimate unpaired_ratio(const Estimate& base, const Estimate& candidate);
// The same of typical times, so that the interval has `confidence`.
Estimate unpaired_ratio(std::span<const Observation> base, std::span<const Observation> candidate,
                        double confidence = kConfidence);
// candidate - base, likewise.
Estimate unpaired_difference(std::span<const Observation> base, std::span<const Observation> candidate,
                             double confidence = kConfidence);

// Where an interval lies to a range of values; the range's ends belong to it.
enum class Position { below, within, above, across };
inline constexpr Named<Position> kPositions[] = {
    {Position::below, "below"}, {Position::within, "within"}, {Position::above, "above"}, {Position::across, "across"}};
constexpr const auto& rows_of(Position /*any*/) { return kPositions; }
Position position_of(const Interval& interval, const Interval& range);

enum class Verdict { faster, slower, equivalent, inconclusive };
inline constexpr Named<Verdict> kVerdicts[] = {{Verdict::faster, "faster"},
                                               {Verdict::slower, "slower"},
                                               {Verdict::equivalent, "equivalent"},
                                               {Verdict::inconclusive, "inconclusive"}};
constexpr const auto& rows_of(Verdict /*any*/) { return kVerdicts; }

struct Comparison {
  Estimate ratio;  // time of the candidate over time of the base
  Verdict verdict = Verdict::inconclusive;
  std::string remark;  // why it is inconclusive; empty otherwise
};

struct VerdictOptions {
  double margin = 0.01;  // what does not matter; see margin_range
  double confidence = kConfidence;
  int minimum_launches = 3;
  double noise_floor = 0;    // what the run is known to be off by: the margin is at least this
  std::string unfit{};       // why no figures can give a verdict; empty: they can
  Looks looks = Looks::one;  // of paired ratios
};

// The fewest launches whose figures span their median with that confidence: n values all lie on one side of it with
// probability 2^(1-n), so that no interval within their range can be surer. 6 for 95%, 8 for 99%; at every look 7, 10.
int min_launches(double confidence, Looks looks = Looks::one);

// A ratio's position to a range, where its launches allow one.
struct Placement {
  Estimate ratio;  // of the candidate to the base
  Position position = Position::across;
  std::string remark;  // why there is none, although the interval may lie on one side; empty otherwise
};

// What every verdict rests on: no position below options.minimum_launches or where options.unfit says why; the margin
// is not used here.
Placement place(const Estimate& ratio, const Interval& range, const VerdictOptions& options);

// The ratios that do not matter. Reciprocal limits, so that swapping base and candidate swaps the verdict.
Interval margin_range(double margin);  // 1 / (1 + margin) to 1 + margin

// The share that does not matter: the margin, and no less than the noise floor.
double margin_of(const VerdictOptions& options);

// The one verdict function: tables, compare and explain call it, claims what it rests on. faster or slower only when
// the whole interval lies beyond the margin, equivalent only when all of it lies within, inconclusive otherwise.
Comparison compare(std::span<const Pair> pairs, const VerdictOptions& options);

// The same of a ratio that was estimated otherwise, at any confidence.
Comparison compare_ratio(const Estimate& ratio, const VerdictOptions& options);

// The same of samples that were not measured side by side.
Comparison compare_unpaired(std::span<const Observation> base, std::span<const Observation> candidate,
                            const VerdictOptions& options);

// Many verdicts of one table, where one in twenty would be wrong by chance if each stood for itself.
//
// `compare(i, confidence)` is the comparison of member i at a confidence of its own. faster and slower are given by
// Holm's procedure: the chance that any of them is wrong, over the whole family, is at most 1 - confidence. The
// rest is judged at `confidence`, and may only be equivalent or inconclusive.
// S. Holm, A simple sequentially rejective multiple test procedure (1979).
std::vector<Comparison> compare_family(std::size_t members, double confidence,
                                       const std::function<Comparison(std::size_t, double)>& compare);

// More of them are not worth a try where fewer left a verdict open.
constexpr int kMaxLaunchesWorthATry = 1000;

// How many launches it takes, roughly, until no limit of the range lies in the interval: its width shrinks with the
// root of their number. 0: too many to be worth a try, or the value is at the limit.
int needed_launches(const Estimate& ratio, const Interval& range, int minimum_launches);

}  // namespace gdbench::stats
