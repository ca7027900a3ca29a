#include "harness/questions/history/reports.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/report/environment.h"

namespace gdbench::history {

namespace {

namespace fs = std::filesystem;
using report::text_at;

// "Processor, 2 logical processors, Linux 6.1, Debian GNU/Linux 12"; what is unknown is left out.
std::string machine_of(const Json& environment) {
  std::vector<std::string> words;
  const auto add = [&words](const std::string& word) {
    if (!word.empty()) words.push_back(word);
  };
  add(text_at(environment, "/cpu/model"));
  const Json::json_pointer processors("/cpu/logical_processors");
  if (environment.contains(processors) && environment[processors].is_number_integer()) {
    add(compact(environment[processors]) + " logical processors");
  }
  add(text_at(environment, "/kernel"));
  add(text_at(environment, "/operating_system"));
  return joined(words);
}

Result<std::vector<fs::path>> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error) return file_error(folder, error.message(), "a folder of reports");
  std::ranges::sort(files);
  return files;
}

class Reader {
 public:
  // Errors: no report.
  Status add(const std::string& file) {
    const report::Report report = TRY(analysis::read_summarised(file));
    const auto [known, is_new] = files_by_run_.emplace(report.run.id, file);
    if (is_new) {
      read_.reports.push_back(measured_report(file, report));
    } else {
      read_.notes.push_back(one_line(cat("left out ", file, ": the same run as ", known->second)));
    }
    return {};
  }

  Status add_folder(const fs::path& folder) {
    for (const fs::path& file : TRY(files_of(folder))) {
      const Status status = add(file.string());
      if (!status.ok()) read_.notes.push_back("left out " + status.error().message);
    }
    return {};
  }

  ReadReports take() { return std::move(read_); }

 private:
  ReadReports read_;
  std::map<std::string, std::string> files_by_run_;
};

}  // namespace

MeasuredReport measured_report(const std::string& file, const report::Report& report) {
  const Json environment = Json::parse(report.environment);
  const std::string revision = report::revision_of(environment);
  MeasuredReport measured;
  measured.source = {file, report.run.id, revision.empty() ? report.run.id : revision,
                     text_at(environment, "/build/git_committed_at"), report.run.started_at};
  measured.environment = report.environment;
  measured.machine = machine_of(environment);
  const analysis::Comparer comparer(report);
  for (const report::Cell& cell : report.cells) {
    if (cell.arm != report::kNewArm) continue;
    const stats::VerdictOptions& rule = comparer.options(cell.scenario);
    const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
    MeasuredCell& reduced = measured.cells.emplace_back();
    reduced.id = cell.id;
    reduced.scenario = cell.scenario;
    reduced.status = cell.status;
    reduced.noise_floor = rule.noise_floor;
    reduced.unfit = rule.unfit;
    if (scenario != nullptr) {
      reduced.data_digest = scenario->data_digest;
      reduced.label = scenario->label;
    }
    if (cell.summary) reduced.step_ns = cell.summary->step_ns;
  }
  return measured;
}

Result<ReadReports> read_reports(const std::vector<std::string>& paths) {
  Reader reader;
  for (const std::string& path : paths) {
    std::error_code error;
    TRY(fs::is_directory(path, error) ? reader.add_folder(path) : reader.add(path));
  }
  ReadReports read = reader.take();
  if (read.reports.empty()) {
    return file_error(joined(paths), "no report", "files that gdbench run wrote, or a folder with some");
  }
  return read;
}

}  // namespace gdbench::history
