#include "app/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "app/console.h"
#include "app/invocation.h"
#include "harness/analysis/summarise.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/report/report_file.h"
#include "reports/answers/documents.h"
#include "reports/document/page.h"
#include "reports/document/writers.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

std::size_t sample_count(const report::Report& report) {
  std::size_t count = 0;
  for (const report::Cell& cell : report.cells) count += cell.samples.size();
  return count;
}

bool is_empty(const fs::path& file) {
  std::error_code error;
  return fs::file_size(file, error) == 0 && !error;
}

// A journal without one whole line, which holds no sample: its run was killed as it began.
bool is_begun(const std::string& journal) {
  const Result<std::string> text = report::read_text(journal);
  return text.ok() && text->find('\n') != std::string::npos;
}

// UTC, as reports have it; empty where the file does not say.
std::string time_of_last_write(const std::string& file) {
  struct stat about {};
  return stat(file.c_str(), &about) == 0 ? utc_text(about.st_mtime) : "";
}

Status check_place(const std::string& out) {
  const auto found = [&out](const std::string& what) { return usage_error(cat("--out ", out, ": found ", what)); };
  const fs::path folder = fs::absolute(out).parent_path();
  std::error_code error;
  if (out == "-") return found("standard output, expected a file, which keeps what is measured; --json prints it");
  if (fs::is_directory(out)) return found("a folder, expected a file");
  if (!fs::is_directory(folder)) return found("no folder " + folder.string());
  // A report replaces the file of its name: a device or a pipe must not be lost to it.
  if (fs::exists(out) && !fs::is_regular_file(out)) return found("a device or a pipe, expected a file");
  if (fs::exists(out) && access(out.c_str(), W_OK) != 0) return found("a file that cannot be written");
  const fs::space_info space = fs::space(folder, error);
  constexpr std::uintmax_t kMinBytes = 4 << 20;
  const bool full = !error && space.available < kMinBytes;
  return full ? found(cat(space.available >> 10, " KiB free, expected at least 4 MiB")) : Status();
}

Error would_replace(const std::string& file, const std::string& found, bool stopped) {
  return usage_error(file + ": found " + found + ", which this command would replace; expected " +
                     (stopped ? "--resume to go on with it, " : "") + "--overwrite or another --out");
}

// Errors: `file` holds samples, or is none of gdbench's. A run of the id `known` may be replaced. A journal's run was
// stopped even where all is measured: its report is not written.
Status check_unused(const std::string& file, bool is_journal, const std::string& known = "") {
  if (!fs::exists(file) || is_empty(file)) return {};
  const Result<report::Report> report = report::read_report(file);
  if (!report.ok()) return would_replace(file, "a file that is no report of gdbench", false);
  const std::size_t samples = sample_count(report.value());
  const report::Run& run = report->run;
  if (samples == 0 || run.id == known) return {};
  return would_replace(file, std::to_string(samples) + " samples of a run that is " + run.status,
                       is_journal || run.status != "complete");
}

// Without its ending.
std::string stem_of(const std::string& report_path) {
  const bool named = report_path.ends_with(".json");
  return named ? report_path.substr(0, report_path.size() - 5) : report_path;
}

// Which may differ from one part of a run to the next.
bool is_aside(const std::string& word) {
  constexpr std::string_view kAsides[] = {"--no-html", "--no-ceilings", "--details", "--explain", "--json"};
  return std::ranges::find(kAsides, word) != std::end(kAsides);
}

// Those of a command line that say what is measured.
std::vector<std::string> words_of_question(const std::vector<std::string>& command) {
  std::vector<std::string> words(command.begin() + std::min<std::ptrdiff_t>(2, std::ssize(command)), command.end());
  if (const auto out = std::ranges::find(words, "--out"); out != words.end()) {
    words.erase(out, out + std::min<std::ptrdiff_t>(2, words.end() - out));
  }
  std::erase_if(words, [](const std::string& word) {
    return word == "--resume" || word == "--overwrite" || word.starts_with("--out=") || is_aside(word);
  });
  return words;
}

}  // namespace

void add_output(CLI::App& command, OutputFile& output, const std::string& description) {
  CLI::Option* out = add_value(command, "--out", "FILE", output.path, description);
  if (!output.path.empty()) out->capture_default_str();
  command.add_flag("--overwrite", output.overwrite, "Replace a report that lies there, samples and all");
}

void add_resume(CLI::App& command, OutputFile& output) {
  command.add_flag(
      "--resume", output.resume,
      "Go on with a run that was killed or interrupted, from its journal next to --out or from its report");
}

std::string journal_path(const std::string& report_path) { return stem_of(report_path) + ".journal.jsonl"; }

Result<report::Report> stored_report(const std::string& path) {
  const std::string journal = journal_path(path);
  if (fs::exists(path) || !fs::exists(journal)) return analysis::read_summarised(path);
  print_error(cat("gdbench: ", path, ": not there, its run has not ended; read from ", journal));
  return analysis::read_summarised(journal);
}

Status write_page(const report::Report& report, const std::optional<report::ReportComparison>& comparison,
                  const std::string& report_path) {
  const std::string path = stem_of(report_path) + ".html";
  std::string begin(document::kBegin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (file && file.peek() != std::ifstream::traits_type::eof() &&
      (!file.read(begin.data(), std::ssize(begin)) || begin != document::kBegin)) {
    print_error("gdbench: " + path +
                ": found no page of gdbench, which could be replaced; the report's is not written");
    return {};
  }
  file.close();
  const document::Document page = comparison ? answers::document_of(report, *comparison) : answers::document_of(report);
  TRY(write_text(document::html_of(page), path));
  print_error("page: " + path);
  return {};
}

Status check_output(const OutputFile& output) {
  if (output.path.empty()) return {};
  TRY(check_place(output.path));
  if (output.overwrite || output.resume) return {};
  TRY(check_unused(output.path, false));
  const std::string journal = journal_path(output.path);
  return fs::exists(journal) && is_begun(journal) ? check_unused(journal, true) : Status();
}

Result<std::optional<StoppedRun>> stopped_run(const OutputFile& output) {
  const std::string journal = journal_path(output.path);
  StoppedRun stopped{.file = journal, .has_journal = fs::exists(journal) && is_begun(journal), .report = {}};
  if (!stopped.has_journal) stopped.file = output.path;
  if (!stopped.has_journal && (!fs::exists(output.path) || is_empty(output.path))) {
    print_error(cat("gdbench: --resume: found neither ", journal, " nor ", output.path, "; a new run begins"));
    return std::optional<StoppedRun>();
  }
  Result<report::Report> report = report::read_report(stopped.file);
  if (!report.ok()) return usage_error(report.error().message);
  stopped.report = std::move(report).value();
  if (!stopped.has_journal) return std::optional<StoppedRun>(std::move(stopped));
  report::Run& run = stopped.report.run;
  if (run.finished_at.empty()) run.finished_at = time_of_last_write(journal);
  Result<report::Report> written = report::read_report(output.path);
  if (written.ok() && written->run.id == run.id && written->run.status == "complete") {
    // It was killed before it could remove the journal, all of which the report has.
    std::error_code error;
    fs::remove(journal, error);
    return std::optional<StoppedRun>({output.path, false, std::move(written).value()});
  }
  if (!output.overwrite) {
    TRY(check_unused(output.path, false, run.id));
  }
  if (run.status == "complete") run.status = "killed";  // before its report was written, which is left to do
  return std::optional<StoppedRun>(std::move(stopped));
}

Status become_stopped_command(const std::vector<std::string>& command, const OutputFile& output) {
  if (!words_of_question(command).empty()) return {};
  const std::string journal = journal_path(output.path);
  const Result<report::Report> stopped = report::read_report(is_begun(journal) ? journal : output.path);
  if (!stopped.ok()) return {};
  const std::vector<std::string> question = words_of_question(stopped->run.command);
  if (question.empty()) return {};
  if (stopped->run.command[1] != "run") {
    return usage_error(output.path + ": found a run of another command, expected one of gdbench run");
  }
  std::vector<std::string> words = {command[0], "run"};
  words.insert(words.end(), question.begin(), question.end());
  std::ranges::copy_if(command, std::back_inserter(words), is_aside);
  words.insert(words.end(), {"--out", output.path, "--resume"});
  std::string line = "gdbench: goes on with:";
  std::vector<char*> arguments;
  for (std::string& word : words) {
    line += " " + quoted_for_shell(word);
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  print_error(line);
  execv("/proc/self/exe", arguments.data());
  return failure(cat("/proc/self/exe: ", std::strerror(errno)));
}

std::string contents_of(const report::Report& report) {
  const auto cells = std::ranges::count_if(report.cells, [](const report::Cell& cell) {
    return cell.status.state != report::CellState::pending && cell.arm != report::kControlArm;
  });
  return cat(cells, cells == 1 ? " cell" : " cells", " and ", sample_count(report), " samples");
}

std::string words_of_kept(const report::Report& report, const OutputFile& output) {
  return output.path + " keeps " + contents_of(report);
}

std::string words_to_go_on(const report::Report& report, const OutputFile& output) {
  std::string text = words_of_kept(report, output) + "; to go on:";
  for (const std::string& word : report.run.command) text += " " + quoted_for_shell(word);
  return output.resume ? text : text + " --resume";
}

}  // namespace gdbench::app
