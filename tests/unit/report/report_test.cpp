#include "harness/report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/abi/catalogue.h"
#include "harness/base/text.h"
#include "harness/report/comparison.h"
#include "tests/support/reports/example_report.h"
#include "tests/support/reports/temporary_folder.h"
#include "tests/unit/report/full_disk.h"

namespace gdbench::report {
namespace {

using nlohmann::json, tests::example_report, tests::TemporaryFolder, tests::text_of, tests::write_text;

json example_json() { return to_json(example_report()); }

std::string error_of(const json& document) {
  const Result<Report> report = from_json(document, "r.json");
  return report.ok() ? "" : report.error().message;
}

TEST(Report, WritesWhatIsNotFiniteAsNull) {
  Report report = example_report();
  report.cells[0].samples[0].real_ns = std::numeric_limits<double>::quiet_NaN();
  report.cells[0].samples[1].real_ns = std::numeric_limits<double>::infinity();
  const json document = to_json(report);
  for (const std::size_t i : {0U, 1U}) EXPECT_TRUE(document["cells"][0]["samples"][i]["real_ns"].is_null());
  const Result<Report> read = from_json(document, "r.json");
  EXPECT_TRUE(std::isnan(read->cells[0].samples[0].real_ns));
  EXPECT_EQ(json(to_json(read.value())), document);
}

struct Fault {
  const char* place;  // of a value that takes the place of the example's; null: it is taken away
  json value;
  std::string message;  // behind the file and the place
};

TEST(Report, SaysWhereWhatWasFoundAndExpected) {
  const std::string losses = joined(catalogue::names_of_mask<catalogue::Loss>(catalogue::kAll<catalogue::Loss>));
  const std::string phases = "data, forward, backward, update, record, compile, other, exchange";
  const Fault faults[] = {
      {"/cells/3/samples/0/real_ns", "x", "found \"x\", expected a number"},
      {"/cells/0/threads", 1.5, "found 1.5, expected an integer"},
      {"/cells/0/threads", 5'000'000'000, "found 5000000000, expected an integer"},
      {"/cells/0/samples/2/steps", -1, "found -1, expected an integer from 0"},
      {"/run/quick", "no", "found \"no\", expected true or false"},
      {"/cells/0/status/state", "fine",
       "found \"fine\", expected one of pending, ok, unsupported, wrong, crashed, timed out, untrusted"},
      {"/cells/0/id", nullptr, "found nothing, expected this key"},
      {"/cells/0/samples", 3, "found 3, expected an array"},
      {"/notes/0", json::object(), "found an object, expected a string"},
      {"/cells/1/options/a~1b", 1, "found 1, expected a string"},
      {"/cells/0/profile/records/0/use", "eats", "found \"eats\", expected one of reads, gradient, updates..."},
      {"/cells/0/profile/records/0/phase", "forwards",
       "found \"forwards\", expected one of " + phases + " (did you mean forward?)"},
      {"/cells/0/colour", "red", "found an unknown key, expected one of id, scenario, implementation..."},
      {"/cells/1/scenario", "nowhere", "found \"nowhere\", expected the key of an entry of /scenarios"},
      {"/cells/1/id", "example-3x2/example/loops",
       "found \"example-3x2/example/loops\", expected an id that no other cell has"},
      {"/schema", "other", "found \"other\", expected \"gdbench-report\""},
      {"/schema_version", nullptr, "found null, expected an object with major and minor"},
      {"/schema_version/major", kSchemaMajor + 1, "found 2, expected 1..."},
      {"/scenarios/1/resolved/loss", "mae", "found \"mae\", expected one of " + losses + "..."},
      {"/scenarios/1/resolved/dtype", "f8", "found \"f8\", expected one of f32, f64, bf16, f16..."},
      {"/scenarios/1/resolved/model/kind", "transformer",
       "found \"transformer\", expected one of linear_regression, multilayer_perceptron, tensors"},
      {"/scenarios/1/resolved/model/layers/0/width", "50", "found \"50\", expected an integer"},
      {"/scenarios/1/resolved/optimizer/kind", "lamb", "found \"lamb\"..."},
      {"/scenarios/1/resolved/optimizer", "sgd", "found \"sgd\", expected an object"}};
  for (const auto& [place, value, message] : faults) {
    json document = example_json();
    const json::json_pointer pointer(place);
    if (value.is_null()) document[pointer.parent_pointer()].erase(pointer.back());
    if (!value.is_null()) document[pointer] = value;
    const std::string expected = cat("r.json: ", place, ": ", message);
    const std::string found = error_of(document);
    const bool goes_on = expected.ends_with("...");
    EXPECT_TRUE(goes_on ? found.starts_with(expected.substr(0, expected.size() - 3)) : found == expected) << found;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
  }
  for (const json& document : {json::array(), json{{"a", 1}}}) EXPECT_NE(error_of(document), "") << document;
}

TEST(Report, KeepsKeysOfAResolvedScenarioThatItDoesNotKnow) {
  json document = example_json();
  json& resolved = document["scenarios"][1]["resolved"];
  resolved["compression"] = {{"kind", "top_k"}};
  resolved["model"]["layers"][0]["dropout"] = 0.5;
  resolved.erase("dtype");
  const Result<Report> report = from_json(document, "r.json");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->scenarios[1].resolved.dtype);
  EXPECT_EQ(json(to_json(report.value())), document);
}

TEST(Report, TakesOtherMinors) {
  json document = example_json();
  document["schema_version"]["minor"] = kSchemaMinor + 1;
  document["cells"][0]["colour"] = "red";
  EXPECT_EQ(error_of(document), "");
  document = example_json();
  document["schema_version"]["minor"] = 1;
  document.erase("attribution");
  document["scenarios"][1]["resolved"]["batch"] = "full";
  for (json& record : document["cells"][0]["profile"]["records"]) {
    for (const char* key : {"layers", "parameters", "use"}) record.erase(key);
  }
  document["cells"][1].erase("profile");
  const Result<Report> report = from_json(document, "r.json");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->attribution || report->cells[0].profile->records[0].layers || report->cells[1].profile);
}

TEST(ReportFile, IsReadAsItWasWrittenWithTheSameBytesEachTime) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_report(example_report(), folder.file("a.json")).ok());
  const Result<Report> report = read_report(folder.file("a.json"));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(json(to_json(report.value())), example_json());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
  ASSERT_TRUE(write_report(report.value(), folder.file("b.json")).ok());
  EXPECT_EQ(text_of(folder.file("a.json")), text_of(folder.file("b.json")));
}

TEST(ReportFile, SurvivesTextThatIsNoUtf8) {
  const TemporaryFolder folder;
  Report report = example_report();
  report.cells[0].status.reason = "bytes \xff\xfe";
  ASSERT_TRUE(write_report(report, folder.file("r.json")).ok());
  EXPECT_TRUE(read_report(folder.file("r.json")).ok());
}

TEST(ReportFile, NamesPathAndReasonWhenItCannotBeWritten) {
  const Status status = write_report(example_report(), "/no-such-folder/report.json");
  EXPECT_EQ(status.error().message, "/no-such-folder/report.json: cannot be written: No such file or directory");
  EXPECT_EQ(status.error().kind, ErrorKind::failed);
}

TEST(ReportFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report.json");
  write_text(path, "old");
  Status status;
  tests::with_largest_file(1000, [&] { status = write_report(example_report(), path); });
  EXPECT_EQ(status.error().message, path + ": cannot be written: File too large");
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
}

TEST(ReportFile, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  for (const std::filesystem::path& file :
       {folder.write("empty", ""), folder.write("half", "{\"schema\": "), folder.path() / "none"}) {
    const std::string path = file.string();
    const Result<Report> report = read_report(path);
    EXPECT_TRUE(report.error().message.starts_with(path + ": ")) << report.error().message;
    EXPECT_EQ(report.error().message.find('\n'), std::string::npos) << report.error().message;
  }
}

// What --json of the commands that compare cells writes: other programs read it by these names.
stats::Estimate estimate(double value) {
  return {value, {value - 1, value + 1}, 6, false, stats::IntervalMethod::order_statistics};
}

std::string json_of(const stats::Estimate& estimate) {
  return formatted(R"({"value":%.1f,"interval":{"low":%.1f,"high":%.1f},"launches":6,"within_one_process":false,)"
                   R"("method":"order statistics"})",
                   estimate.value, estimate.interval.low, estimate.interval.high);
}

TEST(ComparisonDocument, NamesWhatWasFound) {
  ReportComparison comparison;
  comparison.base = "a.json";
  comparison.next = "b.json";
  comparison.paired = true;
  comparison.margin = 0.02;
  comparison.confidence = 0.95;
  comparison.noise_floor = 0.01;
  comparison.remarks = {"another kernel"};
  ComparedCell& cell = comparison.cells.emplace_back();
  cell.id = "s/a";
  cell.change = Change::regressed;
  cell.base = estimate(10);
  cell.next = estimate(20);
  cell.ratio = estimate(2);
  const std::string head =
      R"({"schema":"gdbench-comparison","schema_version":{"major":1,"minor":5},"base":"a.json","new":"b.json",)";
  const std::string middle =
      R"("paired":true,"margin":0.02,"confidence":0.95,"noise_floor":0.01,"not_comparable":"",)"
      R"("remarks":["another kernel"],"cells":[{"id":"s/a","quantity":"step","change":"regressed","remark":"","base_ns":)" +
      json_of(estimate(10)) + R"(,"new_ns":)" + json_of(estimate(20)) + R"(,"ratio":)" + json_of(estimate(2));
  EXPECT_EQ(to_json(comparison).dump(), head + middle + "}]}") << "nothing of builds and layouts that nobody knows";
  comparison.base_build = "gdbench 1";
  comparison.next_build = "gdbench 2";
  cell.layout = 0.25;
  cell.layouts = {1.5, 2.5};
  EXPECT_EQ(to_json(comparison).dump(), head + R"("base_build":"gdbench 1","new_build":"gdbench 2",)" + middle +
                                            R"(,"layout":0.25,"layouts":[1.5,2.5]}]})");
  cell.quantity = Quantity::peak_memory;
  comparison.gates = {{Quantity::peak_memory, 0.05}, {Quantity::step, 0.5, "*/a"}};
  const OrderedJson document = to_json(comparison);
  EXPECT_EQ(document["gates"].dump(),
            R"([{"quantity":"peak_memory","margin":0.05},{"quantity":"step","margin":0.5,"cells":"*/a"}])");
  EXPECT_EQ(document["cells"][0]["base"].dump(), json_of(estimate(10)));
  EXPECT_FALSE(document["cells"][0].contains("base_ns"));
}

TEST(CalibrationDocument, HasTheLevelsBesideTheOutcomes) {
  Calibration calibration;
  calibration.launches = 12;
  calibration.margin = 0.02;
  calibration.confidence = 0.95;
  calibration.planned = 3;
  calibration.outcomes = {{7, "mlp/hand/a", 0.25, Change::regressed, 1.5, {1.25, 1.75}, 2}};
  const std::string lower_limit = OrderedJson(levels_of(calibration).front().lower_limit).dump();
  EXPECT_EQ(
      to_json(calibration).dump(),
      R"({"schema":"gdbench-calibration","schema_version":{"major":1,"minor":2},"launches":12,"margin":0.02,)"
      R"("confidence":0.95,"planned":3,"smallest_detectable_slowdown":0.25,"levels":[{"slowdown":0.25,"comparisons":1,)"
      R"("regressed":1,"improved":0,"share":1.0,"lower_limit":)" +
          lower_limit +
          R"(,"upper_limit":1.0,"median_ratio":1.5,"seconds":2.0}],"outcomes":[{"number":7,)"
          R"("workload":"mlp/hand/a","slowdown":0.25,"change":"regressed","ratio":1.5,)"
          R"("interval":{"low":1.25,"high":1.75},"seconds":2.0}]})");
}

}  // namespace
}  // namespace gdbench::report
