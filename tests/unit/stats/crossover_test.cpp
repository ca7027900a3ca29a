#include "harness/stats/crossover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace gdbench::stats {
namespace {

// Ratio of A's time to B's at a size.
using Curve = std::function<double(double size)>;

struct Search {
  Crossover result;
  int measurements = 0;
};

// Measures a made curve: every launch is off by a factor of its own.
Search search(const Curve& curve, double scatter, const CrossoverOptions& options) {
  std::mt19937_64 generator(5);
  std::map<std::int64_t, std::vector<Pair>> pairs;
  ComparedSizes sizes;
  Search search;
  while (const auto wanted = next_size(sizes, options)) {
    std::vector<Pair>& measured = pairs[wanted->size];
    while (std::ssize(measured) < wanted->launches) {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += static_cast<double>(generator() >> 11) * 0x1p-53;
      const int launch = static_cast<int>(measured.size());
      measured.push_back({launch, 1.0, curve(static_cast<double>(wanted->size)) * std::exp(scatter * normal)});
    }
    sizes[wanted->size] =
        compare(measured, {.confidence = kCrossoverConfidence, .minimum_launches = min_launches(kCrossoverConfidence)});
    if (++search.measurements > 500) break;
  }
  search.result = find_crossover(sizes, VerdictOptions{}.margin);
  return search;
}

Comparison verdict(Verdict given, const Interval& interval, int launches = 10) {
  Comparison comparison;
  comparison.verdict = given;
  comparison.ratio = {std::sqrt(interval.low * interval.high), interval, launches, false};
  return comparison;
}
const Comparison kFaster = verdict(Verdict::faster, {0.4, 0.6});
const Comparison kSlower = verdict(Verdict::slower, {1.8, 2.2});
const Comparison kEquivalent = verdict(Verdict::equivalent, {0.999, 1.001});
const Comparison kInconclusive = verdict(Verdict::inconclusive, {0.9, 1.1});
const Comparison kNotFaster = verdict(Verdict::inconclusive, {0.995, 1.02});
const Comparison kNotSlower = verdict(Verdict::inconclusive, {0.98, 1.005});
const Comparison kNotFasterAtTheLimit = verdict(Verdict::inconclusive, {1 / 1.01, 1.02});
const Comparison kNotSlowerAtTheLimit = verdict(Verdict::inconclusive, {0.98, 1.01});
const Comparison kEquivalentAndWide = verdict(Verdict::equivalent, {0.9, 1.1});  // by a margin of its own
const Comparison kTooFew = verdict(Verdict::inconclusive, {1.8, 2.2}, 3);

Crossover found(const ComparedSizes& sizes) { return find_crossover(sizes, VerdictOptions{}.margin); }

// "slower 1-4, equivalent 9-9": what a person would read off the table.
std::string text_of(const std::vector<Zone>& zones) {
  std::string text;
  for (const Zone& zone : zones) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(zone.verdict)) + " " + std::to_string(zone.first) + "-" +
            std::to_string(zone.last);
  }
  return text;
}

Comparison inconclusive(int launches) { return verdict(Verdict::inconclusive, {0.9, 1.1}, launches); }

TEST(NextSizeTest, IsWhatTellsMost) {
  struct Case {
    const char* name;
    CrossoverOptions options;
    struct Row {
      ComparedSizes sizes;
      std::int64_t size;  // 0: none
      int launches = 0;   // 0: any
    };
    std::vector<Row> rows;
  };
  const CrossoverOptions two = {.from = 10, .to = 1000, .grid = 2};
  const Case cases[] = {
      {"the ends first, then the grid in equal ratios",
       {.from = 1, .to = 10000, .grid = 5, .launches = 4},
       {{{}, 1, 4},
        {{{1, kFaster}}, 10000, 4},
        {{{1, kFaster}, {10000, kFaster}}, 10, 4},
        {{{1, kFaster}, {10, kFaster}, {100, kFaster}, {10000, kFaster}}, 1000, 4},
        {{{1, kFaster}, {10, kFaster}, {100, kFaster}, {1000, kFaster}, {10000, kFaster}}, 0}}},
      {"a small range once each", {.from = 3, .to = 4}, {{{{3, kSlower}}, 4}, {{{3, kSlower}, {4, kFaster}}, 0}}},
      {"bisecting by ratio until neighbours",
       two,
       {{{{10, kSlower}, {1000, kFaster}}, 100},
        {{{10, kSlower}, {100, kSlower}, {1000, kFaster}}, 316},
        {{{10, kSlower}, {100, kSlower}, {316, kFaster}, {1000, kFaster}}, 178},
        {{{10, kSlower}, {100, kSlower}, {178, kSlower}, {179, kFaster}, {316, kFaster}, {1000, kFaster}}, 0}}},
      {"between neighbours but one there is one",
       {.from = 1, .to = 9, .grid = 2},
       {{{{1, kSlower}, {3, kFaster}, {9, kFaster}}, 2}}},
      {"equivalent sizes get no more launches",
       two,
       {{{{10, kSlower}, {100, kEquivalent}, {1000, kFaster}}, 32}, {{{10, kEquivalent}, {1000, kEquivalent}}, 0}}},
      {"an end without a winner is narrowed down too",
       {.from = 10, .to = 1000, .grid = 2, .launches = 8, .max_launches = 8},
       {{{{10, kSlower}, {1000, kEquivalent}}, 100},
        {{{10, kInconclusive}, {1000, kSlower}}, 100},
        {{{10, kSlower}, {980, kSlower}, {1000, kEquivalent}}, 0}}},
      {"opposite winners first",
       {.from = 1, .to = 8, .grid = 2},
       {{{{1, kEquivalent}, {8, kSlower}, {20, kSlower}, {90, kFaster}}, 42},
        {{{1, kEquivalent}, {8, kFaster}, {20, kFaster}, {90, kSlower}}, 42},
        {{{1, kEquivalent}, {8, kSlower}, {9, kFaster}}, 3}}},
      {"the size with the fewest launches, at first what a size gets",
       {.from = 1, .to = 4, .grid = 2, .launches = 8, .max_launches = 100},
       {{{{1, inconclusive(20)}, {2, inconclusive(8)}, {3, inconclusive(9)}, {4, inconclusive(8)}}, 2, 16},
        {{{1, kFaster}, {4, inconclusive(2)}}, 4, 8}}},
      {"more launches where an end is inconclusive",
       {.from = 10, .to = 11, .launches = 5, .max_launches = 12},
       {{{{10, kFaster}, {11, inconclusive(5)}}, 11, 10},
        {{{10, kFaster}, {11, inconclusive(10)}}, 11, 12},
        {{{10, kFaster}, {11, inconclusive(12)}}, 0}}},
  };
  for (const auto& [name, options, rows] : cases) {
    for (const auto& [sizes, size, launches] : rows) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(sizes.size()) + " known");
      const auto next = next_size(sizes, options);
      EXPECT_EQ(next ? next->size : 0, size);
      if (!next || launches == 0) continue;
      EXPECT_EQ(next->launches, launches);
    }
  }
}

TEST(NextSizeTest, MoreLaunchesThenNarrowerGapsThenMoreLaunchesAgain) {
  const CrossoverOptions options{.from = 10, .to = 1000, .grid = 2, .launches = 10, .max_launches = 100};
  ComparedSizes sizes = {{10, kSlower}, {100, kInconclusive}, {1000, kFaster}};
  const auto gets = [&](int launches) {
    const auto next = next_size(sizes, options);
    const bool as_expected = next && next->size == 100 && next->launches == launches;
    sizes[100].ratio.launches = launches;
    return as_expected;
  };
  EXPECT_TRUE(gets(20));
  EXPECT_TRUE(gets(40));
  // The gaps on both sides come next, the wider one first.
  EXPECT_EQ(next_size(sizes, options)->size, 32);
  sizes[32] = kSlower;
  EXPECT_EQ(next_size(sizes, options)->size, 316);
  sizes[96] = kSlower;
  sizes[105] = kFaster;
  EXPECT_FALSE(next_size(sizes, options)) << "what is between 96 and 105 does not matter";
  EXPECT_TRUE(open_sizes(sizes).empty());
  sizes = {{10, kSlower},        {90, kSlower},  {91, kInconclusive}, {100, sizes[100]},
           {110, kInconclusive}, {111, kFaster}, {1000, kFaster}};
  sizes[91].ratio.launches = sizes[110].ratio.launches = 40;
  EXPECT_EQ(open_sizes(sizes), (std::vector<std::int64_t>{91, 100, 110}));
  EXPECT_EQ(next_size(sizes, options)->launches, 80);
  sizes[91].ratio.launches = sizes[110].ratio.launches = 100;
  EXPECT_TRUE(gets(80));
  EXPECT_TRUE(gets(100));
  EXPECT_FALSE(next_size(sizes, options));
}

TEST(OpenSizesTest, AreThoseAtEitherEndToo) {
  EXPECT_EQ(open_sizes({{1, kInconclusive}, {2, kSlower}, {3, kInconclusive}}), (std::vector<std::int64_t>{1, 3}));
  EXPECT_TRUE(open_sizes({{1, kEquivalent}, {2, kSlower}, {3, kEquivalent}}).empty());
  EXPECT_TRUE(open_sizes({{1, kSlower}, {98, kFaster}, {100, kInconclusive}, {104, kSlower}}).empty())
      << "a narrow gap between two winners";
}

TEST(FindCrossoverTest, Outcomes) {
  struct Row {
    ComparedSizes sizes;
    CrossoverOutcome outcome;
  };
  const Row rows[] = {
      {{}, CrossoverOutcome::undecided},
      {{{1, kFaster}, {9, kFaster}}, CrossoverOutcome::none},
      {{{1, kSlower}, {9, kSlower}}, CrossoverOutcome::none},
      {{{1, kEquivalent}, {9, kEquivalent}}, CrossoverOutcome::none},
      {{{1, kFaster}, {3, kEquivalent}, {9, kEquivalent}}, CrossoverOutcome::none},
      {{{1, kFaster}, {3, kInconclusive}, {9, kFaster}}, CrossoverOutcome::undecided},
      {{{1, kFaster}, {3, kNotSlower}, {9, kFaster}}, CrossoverOutcome::none},
      {{{1, kFaster}, {9, kNotSlower}}, CrossoverOutcome::none},
      {{{1, kFaster}, {9, kNotFaster}}, CrossoverOutcome::undecided},
      {{{1, kSlower}, {9, kNotFaster}}, CrossoverOutcome::none},
      {{{1, kSlower}, {9, kNotSlower}}, CrossoverOutcome::undecided},
      {{{1, kSlower}, {9, kTooFew}}, CrossoverOutcome::undecided},
      {{{1, kEquivalent}, {3, kNotFaster}, {9, kEquivalent}}, CrossoverOutcome::none},
      {{{1, kNotSlower}, {3, kNotFaster}}, CrossoverOutcome::undecided},
      {{{1, kEquivalent}, {3, kInconclusive}, {9, kEquivalent}}, CrossoverOutcome::undecided},
      {{{1, kNotFasterAtTheLimit}, {9, kSlower}}, CrossoverOutcome::none},
      {{{1, kNotSlowerAtTheLimit}, {9, kFaster}}, CrossoverOutcome::none},
      {{{1, kEquivalentAndWide}, {9, kSlower}}, CrossoverOutcome::none},
      {{{1, kSlower}, {9, kFaster}}, CrossoverOutcome::crossing},
      {{{1, kInconclusive}, {2, kSlower}, {3, kEquivalent}, {9, kFaster}}, CrossoverOutcome::crossing},
  };
  for (const Row& row : rows) {
    EXPECT_STREQ(name_of(found(row.sizes).outcome), name_of(row.outcome)) << &row - rows;
  }
}

TEST(FindCrossoverTest, EverySizeIsInOneZone) {
  const auto zones = [](const ComparedSizes& sizes) { return text_of(found(sizes).zones); };
  EXPECT_EQ(zones({}), "");
  EXPECT_EQ(zones({{1, kSlower}, {4, kSlower}, {9, kFaster}, {20, kFaster}}), "slower 1-4, faster 9-20");
  EXPECT_EQ(zones({{3, kSlower}, {244, kSlower}, {7401, kEquivalent}, {37669, kFaster}}),
            "slower 3-244, equivalent 7401-7401, faster 37669-37669");
  EXPECT_EQ(zones({{1, kEquivalent}, {2, kEquivalent}, {3, kInconclusive}, {4, kEquivalent}}), "inconclusive 1-4");
  EXPECT_EQ(zones({{1, kSlower}, {9, kFaster}, {20, kEquivalent}, {30, kFaster}, {90, kSlower}}),
            "slower 1-1, faster 9-9, equivalent 20-20, faster 30-30, slower 90-90");
}

TEST(SearchTest, JumpsAreFoundToTheSize) {
  const auto jump = [](double size) { return size < 517 ? 1.5 : 0.7; };
  EXPECT_EQ(text_of(search(jump, 0.02, {.from = 1, .to = 1000000}).result.zones), "slower 1-516, faster 517-1000000");
  const auto there_and_back = [](double size) { return size > 50 && size < 5000 ? 0.6 : 1.4; };
  EXPECT_EQ(text_of(search(there_and_back, 0.02, {.from = 3, .to = 100000}).result.zones),
            "slower 3-50, faster 51-4999, slower 5000-100000");
  EXPECT_EQ(search([](double) { return 0.8; }, 0.02, {.from = 3, .to = 100000}).measurements, 5) << "no crossing";
}

}  // namespace
}  // namespace gdbench::stats
