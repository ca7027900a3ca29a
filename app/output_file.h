// Where a command's report goes and what lies there already. Samples are never replaced unasked.
#pragma once

#include <optional>
#include <string>

#include "app/command_line.h"
#include "harness/base/result.h"
#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::app {

struct OutputFile {
  std::string path;
  bool overwrite = false;  // replace whatever lies there
  bool resume = false;     // go on with the run that lies there
};

// --out, whose default is `output.path`, and --overwrite.
void add_output(CLI::App& command, OutputFile& output, const std::string& description);
// --resume, for a command whose samples go to a journal.
void add_resume(CLI::App& command, OutputFile& output);

// Where a run's samples lie until its report is written: beside it.
std::string journal_path(const std::string& report_path);

// The report, summarised; where there is none, what the journal of its run has, which is said on stderr.
Result<report::Report> stored_report(const std::string& path);

// Writes a report's page beside it, with a comparison of its builds where there is one; what is no page of gdbench is
// left alone, which is said on stderr.
Status write_page(const report::Report& report, const std::optional<report::ReportComparison>& comparison,
                  const std::string& report_path);

// Whether a report can be written; said before measuring where it can be known. Errors: a folder, a device, a file that
// cannot be written, a full disk; and, unless they are to be overwritten or gone on with, samples that lie there.
Status check_output(const OutputFile& output);

// A run that did not come to its end.
struct StoppedRun {
  std::string file;  // its journal or else its report
  bool has_journal = false;
  report::Report report;
};

// What --resume goes on with; nothing where no stopped run lies there, which is said on stderr. Errors: a file that
// cannot be read; a report of another run that would be replaced.
Result<std::optional<StoppedRun>> stopped_run(const OutputFile& output);

// Where the command line has nothing but --resume, with or without --out: this process goes on as the command of the
// run that was stopped there, which is said on stderr. Returns where it has more, and where there is no such run.
// Errors: the run is none of `gdbench run`'s.
Status become_stopped_command(const std::vector<std::string>& command, const OutputFile& output);

// "12 cells and 1995 samples": the cells that have a status, controls left out, and all samples.
std::string contents_of(const report::Report& report);

// What is kept of a run that ended before its end; and the command that goes on with it.
std::string words_of_kept(const report::Report& report, const OutputFile& output);
std::string words_to_go_on(const report::Report& report, const OutputFile& output);

}  // namespace gdbench::app
