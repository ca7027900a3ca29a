#include "harness/questions/compare/merge.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/output_file.h"
#include "harness/analysis/summarise.h"

namespace gdbench::app {

namespace {

struct MergeOptions {
  std::vector<std::string> reports;
  OutputFile output{.path = "report.json"};
};

bool is_one_of(const std::vector<std::string>& files, const std::string& file) {
  std::error_code error;
  return std::ranges::any_of(files,
                             [&](const std::string& other) { return std::filesystem::equivalent(other, file, error); });
}

Result<int> merge(const MergeOptions& options) {
  std::vector<compare::MergeInput> inputs;
  for (const std::string& path : options.reports) {
    Result<report::Report> report = report::read_report(path);
    if (!report.ok()) return usage_error(report.error().message);
    inputs.push_back({path, std::move(report).value()});
  }
  report::Report merged = TRY(compare::merge(std::move(inputs)));
  OutputFile output = options.output;
  output.overwrite = output.overwrite || is_one_of(options.reports, output.path);
  TRY(check_output(output));
  analysis::summarise(merged);
  TRY(report::write_report(merged, output.path));
  std::fprintf(stderr, "report: %s\n", output.path.c_str());
  return kFine;
}

}  // namespace

void add_merge(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<MergeOptions>();
  CommandLine command = app.command("merge", "One report of several: the shards of a matrix");
  command.option("reports", options->reports, "Reports, or journals of killed runs").required().type_name("FILE");
  add_output(command, options->output, "Where the merged report goes; it may be one of those merged");
  command.footer(
      "Refuses reports of different matrices, seeds, machines or builds, and a cell that two of them have.\n"
      "Examples:\n"
      "  gdbench run --shard 1/2 --out first.json    and on another machine of the same kind --shard 2/2\n"
      "  gdbench merge first.json second.json --out report.json");
  command.when_chosen(invocation, [options] { return merge(*options); });
}

}  // namespace gdbench::app
