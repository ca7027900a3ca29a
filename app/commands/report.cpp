#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/output_file.h"
#include "reports/answers/console.h"
#include "reports/answers/documents.h"
#include "reports/answers/table.h"
#include "reports/document/writers.h"
#include "reports/exports/exports.h"

namespace gdbench::app {

namespace {

// A file that is written for other tools, next to the forms of an answer.
struct Export {
  const char* option;
  const char* description;
  std::string (*write)(const report::Report& report);
};

constexpr Export kExports[] = {
    {"--document", "Write what the page says as JSON",
     [](const report::Report& report) { return document::json_of(answers::document_of(report)).dump(2) + "\n"; }},
    {"--csv", "Write one CSV line per cell", &answers::csv},
    {"--samples", "Write one CSV line per sample", &exports::samples},
    {"--google-benchmark", "Write Google Benchmark's JSON", &exports::google_benchmark},
    {"--pyperf", "Write pyperf's JSON, a run for each launch", &exports::pyperf},
    {"--bencher", "Write the Bencher Metric Format", &exports::bencher},
    {"--github-action", "Write customSmallerIsBetter of github-action-benchmark", &exports::github_action},
    {"--junit", "Write JUnit XML, a test case for each cell", &exports::junit},
    {"--openmetrics", "Write OpenMetrics for Prometheus", &exports::openmetrics},
    {"--json", "Write the report itself, recomputed",
     [](const report::Report& report) { return report::to_json(report).dump(2) + "\n"; }},
};

struct ReportOptions {
  std::string input;
  AnswerOptions answer;
  std::array<std::string, std::size(kExports)> files;  // "-" is stdout
  bool details = false;
  bool plot = false;
};

answers::ConsoleOptions console_options(const std::string& file) {
  return {.colour = colour_wanted(), .width = terminal_width(), .file = file};
}

Result<int> report(const ReportOptions& options) {
  if (options.plot && options.details) return usage_error("--plot: found --details, too, expected one of them");
  const report::Report content = TRY(stored_report(options.input));
  TRY(write_forms(options.answer, [&] { return answers::document_of(content); }));
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    if (!options.files[i].empty()) TRY(write_text(kExports[i].write(content), options.files[i]));
  }
  const auto wanted = [](const std::string& file) { return !file.empty(); };
  if (std::ranges::any_of(options.answer.files, wanted) || std::ranges::any_of(options.files, wanted)) return kFine;
  if (options.plot) {
    print_text(answers::plot(content, console_options(options.input)));
  } else {
    show_report(content, options.input, options.details);
  }
  return kFine;
}

}  // namespace

void show_report(const report::Report& report, const std::string& file, bool details) {
  print_text(details ? text_for_stdout(answers::document_of(report))
                     : answers::first_screen(report, console_options(file)));
}

void add_report(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App& command = *app.add_subcommand(
      "report", "Render a report, or the journal of an interrupted run; every figure is recomputed");
  add_value(command, "report", "FILE", options->input, "report.json or a journal")->required();
  command.add_flag("--details", options->details, "Print a table for every scenario instead of the overview");
  command.add_flag("--plot", options->plot, "Draw the intervals of every scenario with characters instead");
  add_forms(command, options->answer, "the report");
  for (std::size_t i = 0; i < options->files.size(); ++i) {
    add_document(command, kExports[i].option, options->files[i], kExports[i].description);
  }
  command.footer(
      "Examples:\n"
      "  gdbench report report.json\n"
      "  gdbench report report.json --details         every row, with what it is made of\n"
      "  gdbench report report.json --plot            the intervals of every scenario, drawn with characters\n"
      "  gdbench report report.json --markdown summary.md --csv cells.csv\n"
      "  gdbench report report.journal.jsonl          what a killed run had measured");
  when_chosen(command, invocation, [options] { return report(*options); });
}

}  // namespace gdbench::app
