// Mutates scenarios that are fine: after any change, reading and making the data end in success or one line.
#include <algorithm>

#include "harness/data/npy.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::csv_scenario, tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;
using Mutation = Files;

// Pointers to every value, the root excepted.
void collect(const json& value, const json::json_pointer& pointer, std::vector<json::json_pointer>& pointers) {
  if (!pointer.empty()) pointers.push_back(pointer);
  if (value.is_object()) {
    for (const auto& member : value.items()) collect(member.value(), pointer / member.key(), pointers);
  }
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) collect(value[i], pointer / i, pointers);
}

bool is_one_line(const std::string& message) {
  return message.find_first_of("\n\r") == std::string::npos && message.size() < 400;
}

TEST_F(Mutation, EveryKeyRemovedOrRetypedIsAnswered) {
  write("table.csv", "x,y,label\n1,2,a\n3,4,b\n5,6,a\n");
  json npy = csv_scenario();
  npy["data"] = {{"source", "npy"}, {"x", "table.csv"}, {"y", "table.csv"}};
  json idx = csv_scenario();
  idx["data"] = {{"source", "idx"}, {"x", "table.csv"}, {"labels", "table.csv"}};
  idx["loss"] = "softmax_cross_entropy";
  json csv = csv_scenario();
  csv["data"]["features"] = {"x"};
  csv["data"]["one_hot"] = {"x"};
  csv["data"]["empty_cells"] = "drop";
  json stream = csv_scenario();
  stream["data"]["source"] = "stream";
  stream["data"]["features"] = {"x"};
  for (const char* key : {"empty_cells", "one_hot"}) stream["data"].erase(key);
  stream["batch"] = {{"rows", 1}, {"shuffle", false}};
  write("x.npy", data::npy_header(3, 2) + std::string(6 * sizeof(double), '\0'));
  json columns = stream;
  columns["data"] = {{"source", "stream"}, {"path", "x.npy"}, {"targets", {1}}, {"features", {0}}};
  json replacements = json::parse(R"([null, true, 0, -1, 3, 2.5, 1e300, 18446744073709551615, "", "full", "relu",
                                      "table.csv", "a\nb", [], [1, 2], ["x", "x"], {}, {"kind": "linear"},
                                      {"rows": 3}, {"": 1}])");
  replacements.push_back("\xff");

  int failures = 0;
  int successes = 0;
  for (const json& original : {linear_scenario(), perceptron_scenario(), csv, npy, idx, stream, columns}) {
    std::vector<json::json_pointer> pointers;
    collect(original, json::json_pointer(), pointers);
    for (const json::json_pointer& pointer : pointers) {
      std::vector<json> mutants(1, original);
      json& parent = mutants[0][pointer.parent_pointer()];
      if (parent.is_object()) {
        parent.erase(pointer.back());
      } else {
        parent.erase(static_cast<std::size_t>(std::stoul(pointer.back())));
      }
      for (const json& replacement : replacements) {
        mutants.push_back(original);
        mutants.back()[pointer] = replacement;
      }
      for (const json& mutant : mutants) {
        // Text that is no UTF-8 is written as it is.
        write("s.json", mutant.dump(-1, ' ', false, json::error_handler_t::ignore));
        const Result<Scenario> read = read_scenario(folder_ / "s.json", {});
        std::string message = read.ok() ? "" : read.error().message;
        if (read.ok()) {
          const Result<data::Dataset> made = data::make_dataset(read.value());
          if (!made.ok()) message = made.error().message;
          EXPECT_TRUE(!made.ok() || made->rows <= 100);
        }
        EXPECT_TRUE(is_one_line(message)) << message;
        ++(message.empty() ? successes : failures);
      }
    }
  }
  EXPECT_GT(failures, 500);
  EXPECT_GT(successes, 50);
}

TEST_F(Mutation, EveryKeySetToAnythingIsAnswered) {
  std::vector<json::json_pointer> pointers;
  const json original = perceptron_scenario();
  collect(original, json::json_pointer(), pointers);
  for (const json::json_pointer& pointer : pointers) {
    std::string key = pointer.to_string().substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    for (const std::string value : {"", "null", "{}", "[]", "[[[", "\xff", "1e999", "-0", "full", "{\"rows\": 2}"}) {
      for (const std::string& longer : {key, key + ".", key + ".x", "." + key}) {
        const std::string message = read_error(original, {{longer, value}});
        EXPECT_TRUE(is_one_line(message)) << message;
        EXPECT_TRUE(longer == key || !message.empty()) << longer << "=" << value;
      }
    }
  }
}

}  // namespace
}  // namespace gdbench::scenario
