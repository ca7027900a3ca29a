// The scenarios and matrices that come with the project.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/data/dataset.h"
#include "harness/scenario/expand.h"
#include "tests/support/reports/golden.h"

namespace gdbench::scenario {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios";

// Editors read it, and tests/cli/scenario_keys_test.py; a line for each key.
TEST(Shipped, SchemaIsWhatIsReadGolden) {
  OrderedJson rest = schema();
  std::string text = "{\"properties\": {\n";
  for (const auto& [key, property] : rest["properties"].items()) {
    text += cat(text.ends_with("}") ? ",\n" : "", " \"", key, "\": ", property.dump());
  }
  rest.erase("properties");
  tests::expect_golden("../../scenarios/scenario.schema.json", text + "},\n" + rest.dump().substr(1) + "\n");
}

TEST(Shipped, ScenariosArePosedAndSayWhatTheyAreFor) {
  const Result<std::vector<KnownScenario>> known = list_scenarios({kFolder});
  ASSERT_TRUE(known.ok()) << known.error().message;
  for (const KnownScenario& scenario : known.value()) {
    EXPECT_EQ(scenario.file.stem(), scenario.name);
    const Result<Scenario> read = read_scenario(scenario.file, {});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_GT(read->purpose.size(), 40U) << scenario.name;
    EXPECT_GT(read->favours.size(), 40U) << scenario.name;
    const Result<data::Dataset> data = data::make_dataset(read.value());
    ASSERT_TRUE(data.ok()) << data.error().message;
    const Result<Problem> problem = data::make_problem(read.value(), data.value());
    ASSERT_TRUE(problem.ok()) << problem.error().message;
  }
  EXPECT_GE(known->size(), 17U);
}

// Names that the matrix's globs match. Whether there are such implementations, a dry run tells.
std::vector<KnownImplementation> matching_names(const Matrix& matrix) {
  std::vector<std::string> names = values_of(matrix, kImplementationAxis);
  for (std::string& glob : names) std::replace(glob.begin(), glob.end(), '*', 'x');
  names.push_back(matrix.baseline);
  std::vector<KnownImplementation> known;
  for (const std::string& name : names) known.push_back({name});
  return known;
}

TEST(Shipped, MatricesExpand) {
  const Result<std::vector<KnownScenario>> known = list_scenarios({kFolder});
  int matrices = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "matrices")) {
    const Result<Matrix> matrix = read_matrix(entry.path());
    ASSERT_TRUE(matrix.ok()) << matrix.error().message;
    EXPECT_EQ(entry.path().stem(), matrix->name);
    const Result<std::vector<Point>> points = expand(matrix.value(), {}, known.value(), matching_names(matrix.value()));
    ASSERT_TRUE(points.ok()) << points.error().message;
    for (const Point& point : points.value()) {
      const Result<Scenario> read = read_scenario(point.scenario_file, point.scenario_settings);
      EXPECT_TRUE(read.ok()) << read.error().message;
    }
    ++matrices;
  }
  EXPECT_GE(matrices, 2);
}

template <class Enum>
void expect_all(const char* matrix_name, const char* axis) {
  const Result<Matrix> matrix = read_matrix(kFolder / "matrices" / cat(matrix_name, ".json"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().message;
  const std::vector<std::string> values = values_of(matrix.value(), axis);
  for (const Enum value : catalogue::all_of<Enum>()) {
    EXPECT_GE(std::ranges::count(values, catalogue::name_of(value)), 1) << matrix_name << ": " << name_of(value);
  }
}

TEST(Shipped, MatricesOfArithmeticHaveAllOfIt) {
  expect_all<OptimizerKind>("conformance", "optimizer");
  expect_all<OptimizerKind>("optimizers", "optimizer");
  expect_all<Activation>("activations", "model.layers.0.activation");
}

}  // namespace
}  // namespace gdbench::scenario
