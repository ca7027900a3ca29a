#include <filesystem>
#include <memory>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/console.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/questions/submission/submission.h"
#include "harness/report/report_file.h"

namespace gdbench::app {

namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  std::vector<std::string> reports;
  std::string folder = "results";
  std::string measured_by;
  std::string machine;  // empty: by what the report says of its processor
  bool despite_conditions = false;
  bool check = false;
};

// The report, if it may be kept. Errors name the file and all that speaks against it.
Result<report::Report> checked(const std::string& file, bool despite_conditions) {
  report::Report report = TRY(submission::read_evidence(file));
  std::vector<std::string> faults = submission::faults_of(report);
  for (const std::string& condition : submission::spoiled_by(report)) {
    if (!despite_conditions) faults.push_back(condition + ", which spoils measurements (--despite-conditions)");
  }
  if (!faults.empty()) return usage_error(one_line(cat(file, ": ", joined(faults, "; "))));
  return report;
}

// Where the report will lie; another one of its matrix, day and revision gets a number behind these. Errors: this very
// run is kept already.
Result<fs::path> free_place(const fs::path& folder, const report::Report& report) {
  const std::string name = submission::name_of(report);
  for (int number = 1;; ++number) {
    const fs::path place = folder / cat(name, number == 1 ? "" : cat("-", number), submission::kEnding);
    if (!fs::exists(place)) return place;
    const Result<report::Report> kept = submission::read_evidence(place.string());
    if (kept.ok() && kept->run.id == report.run.id) {
      return file_error(place, "a report that is kept already", "one of another run");
    }
  }
}

Status submit(const std::string& file, const SubmitOptions& options) {
  const report::Report report = TRY(checked(file, options.check || options.despite_conditions));
  if (options.check) return {};
  const Result<std::string> bytes = submission::packed(report, options.measured_by);
  if (!bytes.ok()) return usage_error(cat(file, ": ", bytes.error().message));
  const fs::path folder =
      fs::path(options.folder) / (options.machine.empty() ? submission::machine_of(report) : options.machine);
  const fs::path kept = TRY(free_place(folder, report));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return report::cannot_be_written(folder.string(), error.message());
  TRY(report::write_whole(*bytes, kept.string()));
  print_error(cat("kept: ", kept.string(), " (", bytes->size() / 1000, " kB); commit it, and open a pull request"));
  return {};
}

Result<int> submit_all(const SubmitOptions& options) {
  if (!options.machine.empty() && options.machine != address_part(options.machine)) {
    return usage_error(
        cat("--machine: found ", in_quotes(options.machine), ", expected small letters, digits and single dashes"));
  }
  bool is_fine = true;
  for (const std::string& file : options.reports) {
    const Status status = submit(file, options);
    if (status.ok()) continue;
    print_error("gdbench: " + status.error().message);
    is_fine = false;
  }
  return is_fine ? kFine : kUsage;
}

}  // namespace

void add_submit(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App& command = *app.add_subcommand("submit", "Keep a report next to those of other machines, if it is evidence");
  add_value(command, "reports", "FILE...", options->reports, "Reports of gdbench run, claims or answer")->required();
  add_value(command, "--into", "FOLDER", options->folder, "Where they lie, by machine")->capture_default_str();
  add_value(command, "--by", "NAME", options->measured_by, "Who measured, as pages are to show it");
  add_value(command, "--machine", "NAME", options->machine, "The machine's folder instead of one that is named for it");
  command.add_flag("--despite-conditions", options->despite_conditions,
                   "Keep what was measured next to other work; pages say so");
  command.add_flag("--check", options->check, "Only say whether reports that are kept are evidence");
  command.footer(
      "Refuses figures that are not those of the samples, revisions that nobody else can build, quick and unfinished\n"
      "runs, rows without a verification, and what is above 200 kB once compressed. Of paths the last part is kept.\n"
      "Exit status: 0 kept; 2 refused, with a line for each report.\n"
      "Examples:\n"
      "  gdbench submit report.json --by 'A. Name'\n"
      "  gdbench submit --check results/*/*.zst");
  when_chosen(command, invocation, [options] { return submit_all(*options); });
}

}  // namespace gdbench::app
