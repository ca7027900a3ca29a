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

struct ReportOptions {
  std::string input;
  std::string html;
  std::string markdown;
  std::string document;
  std::string csv;
  std::string samples;
  std::string google_benchmark;
  std::string pyperf;
  std::string bencher;
  std::string github_action;
  std::string junit;
  std::string openmetrics;
  std::string json;
  bool details = false;
  bool plot = false;
};

// One line per format: its flag, where it goes, who writes it.
struct Format {
  const char* flag;
  std::string ReportOptions::*target;
  const char* description;
  std::string (*render)(const report::Report& report);
};

constexpr Format kFormats[] = {
    {"--html", &ReportOptions::html, "Write a page for a browser, one file that fetches nothing",
     [](const report::Report& report) { return document::html_of(answers::document_of(report)); }},
    {"--markdown", &ReportOptions::markdown, "Write GitHub Markdown",
     [](const report::Report& report) { return document::markdown_of(answers::document_of(report)); }},
    {"--document", &ReportOptions::document, "Write what the page says as JSON",
     [](const report::Report& report) { return document::json_of(answers::document_of(report)).dump(2) + "\n"; }},
    {"--csv", &ReportOptions::csv, "Write one CSV line per cell", &answers::csv},
    {"--samples", &ReportOptions::samples, "Write one CSV line per sample", &exports::samples},
    {"--google-benchmark", &ReportOptions::google_benchmark, "Write Google Benchmark's JSON",
     &exports::google_benchmark},
    {"--pyperf", &ReportOptions::pyperf, "Write pyperf's JSON, a run for each launch", &exports::pyperf},
    {"--bencher", &ReportOptions::bencher, "Write the Bencher Metric Format", &exports::bencher},
    {"--github-action", &ReportOptions::github_action, "Write customSmallerIsBetter of github-action-benchmark",
     &exports::github_action},
    {"--junit", &ReportOptions::junit, "Write JUnit XML, a test case for each cell", &exports::junit},
    {"--openmetrics", &ReportOptions::openmetrics, "Write OpenMetrics for Prometheus", &exports::openmetrics},
    {"--json", &ReportOptions::json, "Write the report itself, recomputed",
     [](const report::Report& report) { return report::to_json(report).dump(2) + "\n"; }},
};

answers::ConsoleOptions console_options(const std::string& file) {
  return {.colour = colour_wanted(), .width = terminal_width(), .file = file};
}

Result<int> report(const ReportOptions& options) {
  if (options.plot && options.details) return usage_error("--plot: found --details, too, expected one of them");
  const report::Report content = TRY(stored_report(options.input));
  bool written = false;
  for (const Format& format : kFormats) {
    const std::string& path = options.*format.target;
    if (path.empty()) continue;
    TRY(write_text(format.render(content), path));
    written = true;
  }
  if (written) return kFine;
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
  for (const Format& format : kFormats) {
    add_document(command, format.flag, (*options).*format.target, format.description);
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
