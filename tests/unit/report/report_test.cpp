#include "harness/report/report.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <limits>

#include "harness/abi/catalogue.h"
#include "harness/base/text.h"
#include "tests/support/reports/example_report.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::report {
namespace {

using nlohmann::json;
using tests::example_report;
using tests::TemporaryFolder;
using tests::text_of;
using tests::write_text;

json example_json() { return to_json(example_report()); }

std::string error_of(const json& document) {
  const Result<Report> report = from_json(document, "r.json");
  return report.ok() ? "" : report.error().message;
}

TEST(Report, JsonSurvivesARoundTrip) {
  const json document = example_json();
  const Result<Report> report = from_json(document, "r.json");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(json(to_json(report.value())), document);
  EXPECT_EQ(report->cells.size(), example_report().cells.size());
}

TEST(Report, NamesEveryState) {
  json document = example_json();
  for (const char* name : {"pending", "ok", "unsupported", "wrong", "crashed", "timed out", "untrusted"}) {
    document["cells"][0]["status"]["state"] = name;
    const Result<Report> report = from_json(document, "r.json");
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_STREQ(name_of(report->cells[0].status.state), name);
  }
}

TEST(Report, WritesWhatIsNotFiniteAsNull) {
  Report report = example_report();
  report.cells[0].samples[0].real_ns = std::numeric_limits<double>::quiet_NaN();
  report.cells[0].samples[1].real_ns = std::numeric_limits<double>::infinity();
  const json document = to_json(report);
  EXPECT_TRUE(document["cells"][0]["samples"][0]["real_ns"].is_null());
  EXPECT_TRUE(document["cells"][0]["samples"][1]["real_ns"].is_null());
  const Result<Report> read = from_json(document, "r.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(std::isnan(read->cells[0].samples[0].real_ns));
  EXPECT_EQ(json(to_json(read.value())), document);
}

TEST(Report, SaysWhereWhatWasFoundAndExpected) {
  json document = example_json();
  document["cells"][3]["samples"][0]["real_ns"] = "x";
  EXPECT_EQ(error_of(document), "r.json: /cells/3/samples/0/real_ns: found \"x\", expected a number");

  document = example_json();
  document["cells"][0]["threads"] = 1.5;
  EXPECT_EQ(error_of(document), "r.json: /cells/0/threads: found 1.5, expected an integer");

  document = example_json();
  document["cells"][0]["samples"][2]["steps"] = -1;
  EXPECT_EQ(error_of(document), "r.json: /cells/0/samples/2/steps: found -1, expected an integer from 0");

  document = example_json();
  document["run"]["quick"] = "no";
  EXPECT_EQ(error_of(document), "r.json: /run/quick: found \"no\", expected true or false");

  document = example_json();
  document["cells"][0]["status"]["state"] = "fine";
  EXPECT_EQ(error_of(document),
            "r.json: /cells/0/status/state: found \"fine\", expected one of pending, ok, unsupported, wrong, crashed, "
            "timed out, untrusted");

  document = example_json();
  document["cells"][0].erase("id");
  EXPECT_EQ(error_of(document), "r.json: /cells/0/id: found nothing, expected this key");

  document = example_json();
  document["cells"][0]["samples"] = 3;
  EXPECT_EQ(error_of(document), "r.json: /cells/0/samples: found 3, expected an array");

  document = example_json();
  document["notes"][0] = json::object();
  EXPECT_EQ(error_of(document), "r.json: /notes/0: found an object, expected a string");

  document = example_json();
  document["cells"][1]["options"]["a/b"] = 1;
  EXPECT_EQ(error_of(document), "r.json: /cells/1/options/a~1b: found 1, expected a string");
}

TEST(Report, SaysWhatIsWrongInAResolvedScenario) {
  const auto error_with = [](const char* key, const json& value) {
    json document = example_json();
    document["scenarios"][1]["resolved"][json::json_pointer(key)] = value;
    return error_of(document);
  };
  EXPECT_EQ(error_with("/loss", "mae"),
            "r.json: /scenarios/1/resolved/loss: found \"mae\", expected one of " +
                joined(catalogue::names_of_mask<catalogue::Loss>(catalogue::kAll<catalogue::Loss>)));
  EXPECT_EQ(error_with("/dtype", "f8"),
            "r.json: /scenarios/1/resolved/dtype: found \"f8\", expected one of f32, f64, bf16, f16");
  EXPECT_EQ(error_with("/model/kind", "transformer"),
            "r.json: /scenarios/1/resolved/model/kind: found \"transformer\", expected one of linear_regression, "
            "multilayer_perceptron, tensors");
  EXPECT_EQ(error_with("/model/layers/0/width", "50"),
            "r.json: /scenarios/1/resolved/model/layers/0/width: found \"50\", expected an integer");
  EXPECT_NE(error_with("/optimizer/kind", "lamb").find("/resolved/optimizer/kind: found \"lamb\""), std::string::npos);
  EXPECT_EQ(error_with("/optimizer", "sgd"),
            "r.json: /scenarios/1/resolved/optimizer: found \"sgd\", expected an object");
  EXPECT_EQ(error_with("/batch", "full"), "");
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

TEST(Report, RefusesAnIntegerThatDoesNotFit) {
  json document = example_json();
  document["cells"][0]["threads"] = 5'000'000'000;
  EXPECT_EQ(error_of(document), "r.json: /cells/0/threads: found 5000000000, expected an integer");
}

TEST(Report, RefusesUnknownKeysOfItsOwnVersionOnly) {
  json document = example_json();
  document["cells"][0]["colour"] = "red";
  EXPECT_EQ(error_of(document), "r.json: /cells/0/colour: found \"red\", expected no such key");
  document["schema_version"]["minor"] = kSchemaMinor + 1;
  EXPECT_EQ(error_of(document), "");
}

TEST(Report, TakesOlderMinorsWithoutWhatCameLater) {
  json document = example_json();
  document["schema_version"]["minor"] = 1;
  document.erase("attribution");
  for (json& cell : document["cells"]) cell.erase("profile");
  const Result<Report> report = from_json(document, "r.json");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->attribution.has_value());
  EXPECT_FALSE(report->cells[0].profile.has_value());
}

TEST(Report, TakesProfilesThatNameNoLayers) {
  json document = example_json();
  document["schema_version"]["minor"] = 6;
  for (json& cell : document["cells"]) {
    if (!cell.contains("profile")) continue;
    for (json& record : cell["profile"]["records"]) {
      for (const char* key : {"layers", "parameters", "use"}) record.erase(key);
    }
  }
  const Result<Report> report = from_json(document, "r.json");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->cells[0].profile->records[0].layers.has_value());
  document["cells"][0]["profile"]["records"][0]["use"] = "eats";
  EXPECT_EQ(error_of(document),
            "r.json: /cells/0/profile/records/0/use: found \"eats\", expected one of reads, gradient, updates");
  document["cells"][0]["profile"]["records"][0]["phase"] = "forwards";
  EXPECT_EQ(error_of(document),
            "r.json: /cells/0/profile/records/0/phase: found \"forwards\", expected one of data, forward, backward, "
            "update, record, compile, other, exchange");
}

TEST(Report, AnInfiniteEndOfABreakEvenIsNoNumberInTheFile) {
  const json document = example_json();
  EXPECT_TRUE(document["attribution"]["break_evens"][1]["result"]["interval"]["high"].is_null());
  EXPECT_TRUE(from_json(document, "r.json").ok());
}

TEST(Report, RefusesAnotherMajorInOneLine) {
  json document = example_json();
  document["schema_version"]["major"] = kSchemaMajor + 1;
  const std::string message = error_of(document);
  EXPECT_NE(message.find("r.json: /schema_version/major: found 2, expected 1"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Report, RefusesWhatIsNoReport) {
  EXPECT_NE(error_of(json::array()), "");
  EXPECT_NE(error_of({{"a", 1}}), "");
  json document = example_json();
  document["schema"] = "other";
  EXPECT_EQ(error_of(document), "r.json: /schema: found \"other\", expected \"gdbench-report\"");
  document = example_json();
  document.erase("schema_version");
  EXPECT_EQ(error_of(document), "r.json: /schema_version: found null, expected an object with major and minor");
}

TEST(Report, ChecksReferences) {
  json document = example_json();
  document["cells"][1]["scenario"] = "nowhere";
  EXPECT_EQ(error_of(document),
            "r.json: /cells/1/scenario: found \"nowhere\", expected the key of an entry of /scenarios");
  document = example_json();
  document["cells"][1]["id"] = document["cells"][0]["id"];
  EXPECT_EQ(error_of(document),
            "r.json: /cells/1/id: found \"example-3x2/example/loops\", expected an id that no "
            "other cell has");
}

TEST(Report, FindsCellsAndScenarios) {
  Report report = example_report();
  EXPECT_EQ(report.find_cell(report.cells[4].id), &report.cells[4]);
  EXPECT_EQ(report.find_cell("nothing"), nullptr);
  EXPECT_EQ(report.find_scenario("00000000000000bb"), &report.scenarios[1]);
  EXPECT_EQ(report.find_scenario("nothing"), nullptr);
}

TEST(ReportFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report.json");
  ASSERT_TRUE(write_report(example_report(), path).ok());
  const Result<Report> report = read_report(path);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(json(to_json(report.value())), example_json());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
}

TEST(ReportFile, HasTheSameBytesEachTime) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_report(example_report(), folder.file("a.json")).ok());
  const Result<Report> report = read_report(folder.file("a.json"));
  ASSERT_TRUE(report.ok());
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
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "/no-such-folder/report.json: cannot be written: No such file or directory");
  EXPECT_EQ(status.error().kind, ErrorKind::failed);
}

TEST(ReportFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("report.json");
  write_text(path, "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = write_report(example_report(), path);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, path + ": cannot be written: File too large");
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
}

TEST(ReportFile, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.json");
  EXPECT_EQ(read_report(path).error().message.rfind(path, 0), 0U);
  write_text(path, "{\"schema\": ");
  const Result<Report> half = read_report(path);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().message.rfind(path + ": ", 0), 0U) << half.error().message;
  EXPECT_EQ(half.error().message.find('\n'), std::string::npos);
  write_text(path, "");
  EXPECT_FALSE(read_report(path).ok());
}

}  // namespace
}  // namespace gdbench::report
