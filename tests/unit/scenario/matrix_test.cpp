#include "harness/base/text.h"
#include "harness/scenario/expand.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;

// "scenario implementation xTHREADS key=value impl.key=value" of every point.
std::vector<std::string> lines(const Result<std::vector<Point>>& points) {
  if (!points.ok()) return {points.error().message};
  std::vector<std::string> result;
  for (const Point& point : points.value()) {
    std::string line = point.scenario_file.stem().string() + " " + point.implementation;
    if (point.threads != 1) line.append(" x").append(std::to_string(point.threads));
    for (const Setting& setting : point.scenario_settings) line += " " + setting.key + "=" + setting.value;
    for (const auto& [key, value] : point.options) line += " impl." + key + "=" + value;
    result.push_back(line);
  }
  return result;
}

class MatrixFile : public Files {
 protected:
  Result<Matrix> read(const json& matrix) const { return read_matrix(write("m.json", matrix.dump())); }
  std::vector<std::string> cells(const json& matrix, const Selection& selection = {}) const {
    const Result<Matrix> result = read(matrix);
    if (!result.ok()) return {result.error().message};
    std::vector<std::string> found = lines(expand(result.value(), selection, scenarios_, implementations_));
    for (std::string& line : found) {
      if (line.rfind(folder_.string(), 0) == 0) line.erase(0, folder_.string().size() + 1);
    }
    return found;
  }
  // Of one scenario and implementation, and another axis.
  std::vector<std::string> cells_of_axis(const std::string& axis, const json& values,
                                         const Selection& selection) const {
    const json axes = {{"scenario", {"mlp"}}, {"implementation", {"hand/naive"}}, {axis, values}};
    return cells({{"name", "m"}, {"axes", axes}}, selection);
  }

  const std::vector<KnownScenario> scenarios_ = {{"lin-a", "lin-a.json"}, {"lin-b", "lin-b.json"}, {"mlp", "mlp.json"}};
  const std::vector<KnownImplementation> implementations_ = {{"hand/naive"}, {"hand/eigen"}, {"graph/eigen"}};
};

using Lines = std::vector<std::string>;

TEST_F(MatrixFile, Expands) {
  const struct {
    const char* what;
    const char* keys;
    Lines expected;
  } rows[] = {
      {"every key of scenarios is an axis",
       R"("$schema": "matrix.schema.json",
          "axes": {"scenario": "lin-a", "implementation": "hand/naive", "loss": ["huber"], "huber_delta": [0.5, 1]})",
       {"lin-a hand/naive huber_delta=0.5 loss=huber", "lin-a hand/naive huber_delta=1 loss=huber"}},
      {"in a stable order",
       R"("axes": {"scenario": ["mlp", "lin-*"], "implementation": ["hand/*"], "batch": [1, "full"]})",
       {"mlp hand/naive batch=1", "mlp hand/eigen batch=1", "mlp hand/naive batch=full", "mlp hand/eigen batch=full",
        "lin-a hand/naive batch=1", "lin-a hand/eigen batch=1", "lin-a hand/naive batch=full",
        "lin-a hand/eigen batch=full", "lin-b hand/naive batch=1", "lin-b hand/eigen batch=1",
        "lin-b hand/naive batch=full", "lin-b hand/eigen batch=full"}},
      {"threads and options",
       R"("axes": {"scenario": "mlp", "implementation": "graph/*", "threads": [1, 2], "impl.fuse": [true, false]})",
       {"mlp graph/eigen impl.fuse=true", "mlp graph/eigen x2 impl.fuse=true", "mlp graph/eigen impl.fuse=false",
        "mlp graph/eigen x2 impl.fuse=false"}},
      {"excludes where all keys match",
       R"("axes": {"scenario": ["lin-*"], "implementation": ["hand/naive", "graph/eigen"], "batch": [1, 8]},
          "exclude": [{"scenario": "lin-a", "batch": 1}, {"implementation": "graph/*", "batch": 8}])",
       {"lin-a hand/naive batch=8", "lin-b hand/naive batch=1", "lin-b graph/eigen batch=1",
        "lin-b hand/naive batch=8"}},
      {"includes add cells once",
       R"("axes": {"scenario": ["lin-a"], "implementation": ["hand/naive"]},
          "include": [{"scenario": "mlp", "implementation": "graph/eigen", "batch": 256, "threads": 2},
                      {"scenario": "lin-?"}])",
       {"lin-a hand/naive", "mlp graph/eigen x2 batch=256", "lin-b hand/naive"}},
      {"includes alone", R"("include": [{"scenario": "mlp", "implementation": "hand/naive"}])", {"mlp hand/naive"}}};
  for (const auto& [what, keys, expected] : rows) {
    EXPECT_EQ(cells(json::parse(cat(R"({"name": "m", )", keys, "}"))), expected) << what;
  }
}

TEST_F(MatrixFile, SelectsRanksOnlyWhereAGlobNamesThem) {
  const std::vector<KnownImplementation> known = {{"hand/x"}, {"hand/x+mpi", true}, {"torch/a"}, {"torch/ddp", true}};
  const auto selected = [&](const std::string& glob) {
    Selection selection;
    selection.scenarios.wanted = {"mlp"};
    selection.implementations.wanted = {glob};
    return lines(expand(Matrix{}, selection, scenarios_, known));
  };
  EXPECT_EQ(selected("*"), Lines({"mlp hand/x", "mlp torch/a"}));
  EXPECT_EQ(selected("hand/*"), Lines({"mlp hand/x"}));
  EXPECT_EQ(selected("*+mpi"), Lines({"mlp hand/x+mpi"}));
  EXPECT_EQ(selected("*/ddp"), Lines({"mlp torch/ddp"}));
  EXPECT_EQ(selected("torch/ddp"), Lines({"mlp torch/ddp"}));
}

TEST_F(MatrixFile, SelectionReplacesAndRestricts) {
  const json matrix = {{"name", "m"},
                       {"axes",
                        {{"scenario", {"lin-a"}},
                         {"implementation", {"hand/naive"}},
                         {"rows", {1, 2}},
                         {"threads", {1, 2}},
                         {"impl.fuse", {"a", "b"}}}},
                       {"include", {{{"scenario", "lin-b"}, {"rows", 9}}}}};
  Selection selection;
  selection.scenarios.wanted = {"mlp"};
  selection.implementations.wanted = {"*/eigen"};
  selection.threads = {4};
  selection.settings = {{"data.rows", "7"}, {"impl.fuse", "c"}, {"dtype", "f64"}};
  EXPECT_EQ(cells(matrix, selection), (Lines{"mlp hand/eigen x4 data.rows=7 dtype=f64 impl.fuse=c",
                                             "mlp graph/eigen x4 data.rows=7 dtype=f64 impl.fuse=c"}));
}

TEST_F(MatrixFile, PowersOfTwoThreadsEndWithTheProcessors) {
  const auto counts = [&](int processors) {
    Selection selection;
    selection.processors = processors;
    return cells_of_axis("threads", "powers of two", selection);
  };
  EXPECT_EQ(counts(1), (Lines{"mlp hand/naive"}));
  EXPECT_EQ(counts(2), (Lines{"mlp hand/naive", "mlp hand/naive x2"}));
  EXPECT_EQ(counts(6), (Lines{"mlp hand/naive", "mlp hand/naive x2", "mlp hand/naive x4", "mlp hand/naive x6"}));
  EXPECT_EQ(counts(8), (Lines{"mlp hand/naive", "mlp hand/naive x2", "mlp hand/naive x4", "mlp hand/naive x8"}));
}

TEST_F(MatrixFile, SettingsBeatAxesUnderAnyOfTheirNamesAndOfOneKeyAreAnAxis) {
  Selection selection;
  for (const auto& [axis, key] :
       {std::pair("batch", "batch.rows"), {"batch.rows", "batch"}, {"learning_rate", "optimizer.learning_rate"}}) {
    selection.settings = {{key, "3"}};
    EXPECT_EQ(cells_of_axis(axis, {1, 2}, selection), Lines{cat("mlp hand/naive ", key, "=3")});
  }
  selection.settings = {{"optimizer", "sgd"}, {"batch", "5"}, {"optimizer.kind", "adam"}};
  EXPECT_EQ(cells_of_axis("optimizer", {"adamw"}, selection),
            (Lines{"mlp hand/naive optimizer=sgd batch=5", "mlp hand/naive optimizer=adam batch=5"}));
}

TEST_F(MatrixFile, AlternativesAreTheSettingsOfWhichThereAreSeveral) {
  Selection selection;
  selection.scenarios.wanted = {"lin-a"};
  selection.implementations.wanted = {"hand/naive"};
  selection.settings = {
      {"optimizer", "sgd"}, {"batch", "5"}, {"optimizer", "adam"}, {"impl.fuse", "a"}, {"impl.fuse", "b"}};
  Matrix matrix;
  matrix.axes = {{"dtype", {"f32", "f64"}}};
  const auto points = expand(matrix, selection, scenarios_, implementations_);
  ASSERT_TRUE(points.ok()) << points.error().message;
  ASSERT_EQ(points->size(), 8U);
  std::set<std::string> bases;
  for (const Point& point : points.value()) {
    ASSERT_EQ(point.alternatives.size(), 1U) << "neither an axis of the matrix, nor one value, nor an option";
    bases.insert(base_of(point));
  }
  EXPECT_EQ(points->front().alternatives, (std::map<std::string, std::string>{{"optimizer", "sgd"}}));
  EXPECT_EQ(bases, (std::set<std::string>{"lin-a.json\ndtype=f32\nbatch=5", "lin-a.json\ndtype=f64\nbatch=5"}));
}

TEST_F(MatrixFile, GlobsThatMatchNothingAreNamed) {
  EXPECT_EQ(cells({{"name", "m"}, {"axes", {{"scenario", {"mpl"}}}}}),
            Lines{"m.json: /axes/scenario: found \"mpl\", which no scenario matches, expected one of lin-a, lin-b, mlp "
                  "(did you mean mlp?)"});
  Selection selection;
  selection.implementations.wanted = {"tape/*"};
  EXPECT_EQ(cells({{"name", "m"}}, selection),
            Lines{"--impl: found \"tape/*\", which no implementation matches, expected one of hand/naive, "
                  "hand/eigen, graph/eigen"});
  EXPECT_EQ(cells({{"name", "m"}, {"axes", {{"batch", {1}}}}, {"exclude", {{{"batch", "*"}}}}}),
            Lines{"m.json: found no cell, expected at least one that is selected and not excluded"});
  selection = {};
  selection.settings = {{"threads", "2"}};
  EXPECT_EQ(cells({{"name", "m"}}, selection),
            Lines{"--set threads: found an axis of matrices, expected a key of scenarios or impl.KEY"});
}

TEST_F(MatrixFile, SaysWhatIsWrongInOneLine) {
  const std::vector<std::pair<json, std::string>> faults = {
      {{{"purpose", "p"}}, "name: found nothing, expected text on one line"},
      {{{"name", "m"}, {"axis", 1}},
       "axis: found an unknown key, expected one of name, purpose, baseline, if_usable, gate, axes, exclude, include "
       "(did you mean axes?)"},
      {{{"name", "m"}, {"axes", json::array()}}, "axes: found an empty array, expected an object of arrays"},
      {{{"name", "m"}, {"axes", {{"batch", json::array()}}}},
       "axes/batch: found an empty array, expected at least one value"},
      {{{"name", "m"}, {"axes", {{"batch", {1, nullptr}}}}},
       "axes/batch/1: found null, expected text, a number, true or false"},
      {{{"name", "m"}, {"axes", {{"bacth", {1}}}}},
       "axes/bacth/0: found an unknown axis, expected scenario, implementation, threads, impl.KEY or a key of "
       "scenarios (did you mean batch?)"},
      {{{"name", "m"}, {"axes", {{"threads", {0}}}}},
       "axes/threads/0: found \"0\", expected an integer from 1 to 4096 or \"powers of two\""},
      {{{"name", "m"}, {"exclude", {{{"batch", 1}}}}},
       "exclude/0/batch: found a key that no axis has, expected one of scenario, implementation, threads"},
      {{{"name", "m"}, {"exclude", {{"batch", 1}}}}, "exclude: found an object, expected an array of objects"},
      {{{"name", "m"}, {"include", json::array({json::object()})}},
       "include/0: found an object, expected an object with keys"},
  };
  for (const auto& [matrix, message] : faults) {
    EXPECT_EQ(read(matrix).error().message, (folder_ / "m.json: /").string() + message);
  }
  EXPECT_EQ(read_matrix(folder_ / "none.json").error().message,
            (folder_ / "none.json").string() + ": found no such file, expected a matrix (a JSON object)");
}

TEST_F(MatrixFile, RefusesMoreThanAHundredThousandCells) {
  std::vector<int> values(317);
  for (int i = 0; i < 317; ++i) values[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(cells({{"name", "m"}, {"axes", {{"rows", values}, {"batch", values}}}}),
            Lines{"m.json: /axes: found more than 100,000 cells, expected fewer"});
  nlohmann::json axes = {{"rows", std::vector<int>(values.begin(), values.begin() + 100)},
                         {"batch", std::vector<int>(values.begin(), values.begin() + 100)}};
  for (int i = 0; i < 100; ++i) axes["impl.key" + std::to_string(i)] = {1};
  EXPECT_EQ(cells({{"name", "m"}, {"axes", axes}}),
            Lines{"m.json: /axes: found more than a million settings of all cells together, expected fewer"});
}

TEST_F(MatrixFile, ListsScenariosByName) {
  json other = linear_scenario();
  other["name"] = "another";
  write("z/a.json", linear_scenario().dump());
  write("z/b.json", other.dump());
  write("z/report.json", R"({"cells": []})");
  write("z/note.txt", "no JSON");
  write("z/matrices/m.json", R"({"name": "m"})");
  write("z/matrices/below.json", perceptron_scenario().dump());
  const Result<std::vector<KnownScenario>> known = list_scenarios({folder_ / "z"});
  ASSERT_TRUE(known.ok()) << known.error().message;
  ASSERT_EQ(known->size(), 2U);
  EXPECT_EQ(known.value()[0].name, "another");
  EXPECT_EQ(known.value()[0].file, folder_ / "z" / "b.json");
  EXPECT_EQ(known.value()[1].name, "linear");

  write("y/a.json", linear_scenario().dump());
  EXPECT_EQ(list_scenarios({folder_ / "z", folder_ / "y"}).error().message,
            (folder_ / "y" / "a.json").string() + ": /name: found \"linear\", which " +
                (folder_ / "z" / "a.json").string() + " has too, expected another name");
  EXPECT_EQ(list_scenarios({folder_ / "none"}).error().message,
            (folder_ / "none").string() + ": found No such file or directory, expected a folder of scenarios");
  write("x/broken.json", "{");
  EXPECT_FALSE(list_scenarios({folder_ / "x"}).ok());
}

TEST(Globs, StandBetweenCommasInBracesAndBehindExclamationMarks) {
  const auto globs_of = [](const std::string& value) {
    Globs globs;
    const Status status = add_globs("--impl", value, globs);
    return status.ok() ? joined(globs.wanted, " ") + " ! " + joined(globs.unwanted, " ") : status.error().message;
  };
  EXPECT_EQ(globs_of("hand/*"), "hand/* ! ");
  EXPECT_EQ(globs_of("hand/*,!hand/naive,tape/*"), "hand/* tape/* ! hand/naive");
  EXPECT_EQ(globs_of("!{hand,tape}/{naive,null}"), " ! hand/naive hand/null tape/naive tape/null");
  EXPECT_EQ(globs_of("{a,b{c,d}}x,e"), "ax bcx bdx e ! ");
  EXPECT_EQ(globs_of("a}b,c"), "a}b c ! ") << "a brace without a partner";
  EXPECT_EQ(globs_of("{a}"), "a ! ");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  EXPECT_EQ(globs_of(many), "--impl: found more than 1000 alternatives in braces, expected fewer");
}

TEST_F(MatrixFile, LeavesOutWhatIsUnwanted) {
  Selection selection;
  selection.scenarios = {.wanted = {}, .unwanted = {"lin-*"}};
  selection.implementations = {.wanted = {"*"}, .unwanted = {"hand/n*"}};
  EXPECT_EQ(lines(expand(Matrix{}, selection, scenarios_, implementations_)),
            Lines({"mlp hand/eigen", "mlp graph/eigen"}));
  selection.implementations.unwanted = {"hand/nave"};
  EXPECT_EQ(expand(Matrix{}, selection, scenarios_, implementations_).error().message,
            "--exclude: found \"hand/nave\", which no implementation matches, expected one of hand/naive, hand/eigen, "
            "graph/eigen (did you mean hand/naive?)");
}

TEST(GlobMatch, KnowsStarsAndQuestionMarks) {
  const std::pair<const char*, const char*> matching[] = {
      {"*", ""},
      {"", ""},
      {"linreg-*x?", "linreg-300x2"},
      {"*a*b", "aabab"},
      {"a**", "a"},
      {"hand/*", "hand/naive"},
      {"[gh]*/[!n]*", "hand/eigen"},
      {"./x[1].json", "./x[1].json"},
  };
  for (const auto& [glob, text] : matching) EXPECT_TRUE(glob_match(glob, text)) << glob;
  const std::pair<const char*, const char*> others[] = {
      {"", "a"},
      {"linreg-*x?", "linreg-100000x32"},
      {"*a*b", "aaba"},
      {"?", ""},
      {"hand", "hand/naive"},
      {"[!h]*", "hand/eigen"},
  };
  for (const auto& [glob, text] : others) EXPECT_FALSE(glob_match(glob, text)) << glob;
  // No exponential backtracking.
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace gdbench::scenario
