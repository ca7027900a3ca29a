// What a claim is found to be, by kind of relation, and which cells its verdict rests on.
#include "harness/questions/claims/judge.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/questions/claims/needs.h"
#include "harness/scenario/settings.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::claims {
namespace {

using nlohmann::json;
using report::ClaimJudgement;
using report::ClaimVerdict;
using scenario::Point;

template <class T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// A cell of a report, by a formula of its point.
struct MadeCell {
  double step_ns = 1000;  // of each of its launches
  report::CellStatus status = {report::CellState::ok, ""};
};
using MakeCell = std::function<MadeCell(const Point&)>;

report::Cell cell_of(const Point& point, const std::string& key, const MadeCell& made) {
  report::Cell cell;
  cell.scenario = key;
  cell.implementation = point.implementation;
  cell.threads = point.threads;
  cell.id = key + "/" + point.implementation;
  cell.status = made.status;
  for (int launch = 0; launch < 6; ++launch) {
    cell.launches.emplace_back().launch = launch;
    for (int round = 0; round <= 4; ++round) {
      const double times = round == 0 ? 50 : round < 4 ? 3 : 1;  // the least block counts
      cell.samples.push_back(
          {.launch = launch, .round = round, .cold = round == 0, .steps = 100, .real_ns = times * made.step_ns});
    }
  }
  return cell;
}

report::Report report_of(const ExpandedClaim& claim, const MakeCell& make) {
  report::Report report;
  std::set<std::string> keys;
  for (const Point& point : claim.points) {
    const std::string key =
        value_or_throw(scenario::read_scenario(point.scenario_file, point.scenario_settings)).identity();
    if (keys.insert(key).second) report.scenarios.emplace_back().key = key;
    report.cells.push_back(cell_of(point, key, make(point)));
  }
  analysis::summarise(report);
  return report;
}

ExpandedClaim expanded_of(const Claim& claim, const std::vector<scenario::KnownImplementation>& known) {
  const std::filesystem::path folder = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios";
  return value_or_throw(expand(claim, value_or_throw(scenario::list_scenarios({folder})), known));
}

// A claim of one experiment on scenarios of the project, written to a file and read again.
Claim claim_of(const json& matrix, const json& relations) {
  const tests::TemporaryFolder folder;
  const json claim = {{"id", "made"},
                      {"sentence", "A is faster."},
                      {"source", "A page"},
                      {"purpose", "to be judged"},
                      {"experiments", {{{"matrix", matrix}, {"relations", relations}}}}};
  return value_or_throw(read_claim(folder.write("made.json", claim.dump())));
}

ClaimJudgement judgement_of(const Claim& claim, const MakeCell& make) {
  const ExpandedClaim expanded = expanded_of(claim, {{.id = "one/x"}, {.id = "two/x"}});
  return value_or_throw(judge(expanded, report_of(expanded, make)));
}

// Of a report of all its cells, in the order of the claim's points.
NeededCells needed(const Claim& claim, const MakeCell& make) {
  const ExpandedClaim expanded = expanded_of(claim, {{.id = "one/x"}, {.id = "two/x"}});
  return value_or_throw(needed_cells(expanded, report_of(expanded, make)));
}

double batch_of(const Point& point) {
  for (const scenario::Setting& setting : point.scenario_settings) {
    if (scenario::full_key(setting.key) == scenario::full_key("batch")) return std::stod(setting.value);
  }
  throw std::runtime_error("no batch");
}

const json kA = {{"implementation", "one/x"}};
const json kB = {{"implementation", "two/x"}};

json batches() {
  return {{"axes", {{"scenario", "mlp-10-50-1"}, {"batch", {1, 32, 256}}, {"implementation", {"one/x", "two/x"}}}}};
}

json relation(const char* kind, json more) {
  json object = {{"kind", kind}, {"quantity", "step"}, {"a", kA}, {"b", kB}};
  object.update(more);
  return json::array({object});
}

Claim ratio_claim(json more) { return claim_of(batches(), relation("ratio", std::move(more))); }

// The ratio of one/x to two/x is `first` at the first batch and goes to `last` at the last one.
MakeCell from_to(double first, double last) {
  return [=](const Point& point) {
    const double batch = batch_of(point);
    const double ratio = batch < 2 ? first : batch < 100 ? (first + last) / 2 : last;
    return MadeCell{.step_ns = point.implementation == "one/x" ? 1000 * ratio : 1000};
  };
}

struct Judged {
  const char* kind;
  json limits;
  double first;  // see from_to
  double last;
  ClaimVerdict verdict;
};

TEST(Relation, HoldsOrNot) {
  constexpr ClaimVerdict kConfirmed = ClaimVerdict::confirmed;
  constexpr ClaimVerdict kRefuted = ClaimVerdict::refuted;
  const json saving = {{"at_least", 0.25}};
  const json small_saving = {{"at_most", 0.1}};
  const json range = {{"at_least", 3}, {"at_most", 5}};
  const json shrinks = {{"at_most", 0.8}, {"along", "batch"}};
  const json along = {{"along", "batch"}};
  const Judged cases[] = {
      {"ratio", {{"at_least", 20}, {"points", "any"}}, 1, 24, kConfirmed},
      {"ratio", {{"at_least", 30}, {"points", "any"}}, 1, 24, kRefuted},
      {"ratio", {{"at_least", 3}, {"at", {{"batch", json::array({1})}}}}, 4, 1, kConfirmed},  // at the named point
      {"ratio", range, 4, 4, kConfirmed},
      {"ratio", range, 6, 6, kRefuted},
      {"ratio", range, 2, 2, kRefuted},
      {"saving", saving, 0.7, 0.7, kConfirmed},
      {"saving", saving, 0.8, 0.8, kRefuted},
      {"saving", saving, 1.5, 1.5, kRefuted},
      {"saving", small_saving, 0.95, 0.95, kConfirmed},
      {"saving", small_saving, 0.8, 0.8, kRefuted},
      {"trend", shrinks, 6, 3, kConfirmed},
      {"trend", shrinks, 3, 3, kRefuted},
      {"trend", shrinks, 3, 6, kRefuted},
      {"crossover", along, 0.5, 3, kConfirmed},
      {"crossover", along, 0.5, 0.8, kRefuted},
      {"crossover", along, 1, 3, kRefuted},    // nobody is ahead at the first
      {"crossover", along, 3, 0.5, kRefuted},  // the other way round
  };
  for (const auto& [kind, limits, first, last, verdict] : cases) {
    EXPECT_EQ(judgement_of(claim_of(batches(), relation(kind, limits)), from_to(first, last)).verdict, verdict)
        << kind << " " << limits << " from " << first << " to " << last;
  }
}

TEST(NotRun, HasNoFigureOfACellThatIsNotRight) {
  const ClaimJudgement wrong = judgement_of(ratio_claim({{"at_least", 3}}), [](const Point& point) {
    const bool is_wrong = point.implementation == "one/x" && batch_of(point) == 32;
    return is_wrong ? MadeCell{.status = {report::CellState::wrong, "w0 is off"}} : MadeCell{.step_ns = 1000};
  });
  const report::JudgedPoint& judged = wrong.relations[0].points[1];
  EXPECT_NE(judged.remark.find("one/x: wrong: w0 is off"), std::string::npos) << judged.remark;
  EXPECT_FALSE(judged.ratio);
}

TEST(Pairs, OptionsThatACellHasByDefaultAreFound) {
  const json matrix = {
      {"axes", {{"scenario", "linreg-3x2"}, {"implementation", "one/x"}, {"impl.loader", {"auto", "sample"}}}}};
  const Claim claim = claim_of(matrix, {{{"kind", "ratio"},
                                         {"quantity", "step"},
                                         {"a", {{"impl.loader", "sample"}}},
                                         {"b", {{"impl.loader", "auto"}}},
                                         {"at_least", 2}}});
  const ExpandedClaim expanded = expanded_of(claim, {{.id = "one/x"}});
  report::Report report;
  const std::string key = scenario::read_scenario(expanded.points[0].scenario_file, {}).value().identity();
  for (const std::string loader : {"", "sample"}) {
    report::Cell cell;
    cell.id = "cell" + loader;
    cell.scenario = key;
    cell.implementation = "one/x";
    if (!loader.empty()) cell.options["loader"] = loader;
    if (loader.empty()) cell.default_options = std::map<std::string, std::string>{{"loader", "auto"}};
    report.cells.push_back(cell);
  }
  const auto judged = [&] { return judge(expanded, report).value().relations[0].points[0]; };
  EXPECT_EQ(judged().a + " " + judged().b, "cellsample cell");
  report.cells[0].default_options.reset();
  EXPECT_EQ(judged().b, "") << "a report that does not say so may mean another loader";
  EXPECT_EQ(judged().remark.find("cellsample"), 0U) << "the first reason is given: " << judged().remark;
}

// Only then is their ratio one of pairs.
TEST(Pairs, ScenariosThatAreComparedFollowEachOtherAsAlternatives) {
  const json matrix = {{"axes",
                        {{"scenario", "mlp-10-50-1"},
                         {"optimizer", {"sgd", "adam"}},
                         {"batch", {1, 32}},
                         {"implementation", {"one/x", "two/x"}}}}};
  const Claim claim = claim_of(matrix, {{{"kind", "ratio"},
                                         {"quantity", "step"},
                                         {"a", {{"optimizer", "adam"}}},
                                         {"b", {{"optimizer", "sgd"}}},
                                         {"at_least", 2}}});
  std::vector<std::string> found;
  for (const Point& point : expanded_of(claim, {{.id = "one/x"}, {.id = "two/x"}}).points) {
    ASSERT_EQ(point.alternatives.size(), 1U) << "the batch is no alternative";
    found.push_back(
        cat(point.alternatives.at("optimizer"), " ", static_cast<int>(batch_of(point)), " ", point.implementation));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"sgd 1 one/x", "sgd 1 two/x", "adam 1 one/x", "adam 1 two/x",
                                             "sgd 32 one/x", "sgd 32 two/x", "adam 32 one/x", "adam 32 two/x"}));
  const ExpandedClaim alone = expanded_of(ratio_claim({{"at_least", 3}}), {{.id = "one/x"}, {.id = "two/x"}});
  EXPECT_TRUE(alone.points.front().alternatives.empty()) << "implementations are compared";
}

using Cells = std::set<std::size_t>;  // of one/x and two/x at each batch

TEST(Needs, APointThatIsNotNamedIsBeside) {
  const NeededCells cells = needed(ratio_claim({{"at_least", 3}, {"at", {{"batch", {1, 256}}}}}), from_to(2, 2));
  EXPECT_EQ(cells.deciding, (Cells{0, 1, 4, 5}));
  EXPECT_EQ(cells.shown, (Cells{2, 3}));
  EXPECT_FALSE(cells.lacks_some);
}

TEST(Needs, OfATrendTheEndsDecideAndOfWhatIsShownNothing) {
  json relations = relation("trend", {{"at_least", 3}, {"along", "batch"}});
  relations.push_back(relation("ratio", {{"at_least", 3}, {"decides", false}})[0]);
  const NeededCells cells = needed(claim_of(batches(), relations), from_to(2, 2));
  EXPECT_EQ(cells.deciding, (Cells{0, 1, 4, 5}));
  EXPECT_EQ(cells.shown, (Cells{0, 1, 2, 3, 4, 5}));
}

TEST(Needs, ACellThatCannotBeMeasuredIsLacking) {
  const auto make = [](const Point& point) {
    const bool is_a = point.implementation == "one/x";
    return MadeCell{.status = {is_a ? report::CellState::ok : report::CellState::unsupported, ""}};
  };
  const NeededCells cells = needed(ratio_claim({{"at_least", 3}}), make);
  EXPECT_EQ(cells.deciding, (Cells{0, 2, 4}));
  EXPECT_TRUE(cells.lacks_some);
}

}  // namespace
}  // namespace gdbench::claims
