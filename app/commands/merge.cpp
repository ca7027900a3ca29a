#include "harness/questions/compare/merge.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/console.h"
#include "app/output_file.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/questions/compare/compare.h"

namespace gdbench::app {

namespace {

struct MergeOptions {
  std::vector<std::string> reports;
  OutputFile output{.path = "report.json"};
  bool by_machine = false;
};

bool is_one_of(const std::vector<std::string>& files, const std::string& file) {
  std::error_code error;
  return std::ranges::any_of(files,
                             [&](const std::string& other) { return std::filesystem::equivalent(other, file, error); });
}

// The report of the number-th kind of machine: report.json, report-2.json, ...
std::string path_of_kind(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  std::filesystem::path file(path);
  return file.replace_filename(cat(file.stem().string(), "-", number, file.extension().string())).string();
}

// What the report of another kind of machine holds, and how its machine differs from the first one's.
std::string words_of_kind(const std::vector<compare::MergeInput>& kind, const compare::MergeInput& first) {
  std::vector<std::string> names;
  for (const compare::MergeInput& input : kind) names.push_back(one_line(input.name));
  return cat(" keeps ", joined(names), " apart from ", one_line(first.name), ": ",
             compare::first_difference(compare::kMachine, first.report.environment, kind.front().report.environment));
}

Result<int> merge(const MergeOptions& options) {
  if (options.by_machine && options.output.path == "-") {
    return usage_error("--out -: found standard output, expected a file, as --by-machine may write several");
  }
  std::vector<compare::MergeInput> inputs;
  for (const std::string& path : options.reports) {
    Result<report::Report> report = report::read_report(path);
    if (!report.ok()) return usage_error(report.error().message);
    inputs.push_back({path, std::move(report).value()});
  }
  std::vector<std::vector<compare::MergeInput>> kinds;
  if (options.by_machine) {
    kinds = compare::by_machine(std::move(inputs));
  } else {
    kinds.push_back(std::move(inputs));
  }
  std::vector<std::string> remarks;
  for (const auto& kind : kinds) remarks.push_back(remarks.empty() ? "" : words_of_kind(kind, kinds.front().front()));
  std::vector<report::Report> merged;
  for (auto& kind : kinds) {
    merged.push_back(TRY(compare::merge(std::move(kind))));
    OutputFile output = options.output;
    output.path = path_of_kind(output.path, merged.size());
    output.overwrite = output.overwrite || is_one_of(options.reports, output.path);
    if (output.path != "-") TRY(check_output(output));
  }
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const std::string path = path_of_kind(options.output.path, i + 1);
    analysis::summarise(merged[i]);
    if (path == "-") {
      print_text(report::to_json(merged[i]).dump(2) + "\n");
      continue;
    }
    TRY(report::write_report(merged[i], path));
    print_error("report: " + path + remarks[i]);
  }
  return kFine;
}

}  // namespace

void add_merge(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App& command = *app.add_subcommand("merge", "One report of several: the shards of a matrix");
  add_value(command, "reports", "FILE", options->reports, "Reports, or journals of killed runs")->required();
  add_output(command, options->output,
             "Where the merged report goes, - for standard output; it may be one of those merged");
  command.add_flag("--by-machine", options->by_machine,
                   "Make a report for each kind of machine instead of refusing others than the first one's: with the "
                   "default --out, report.json, report-2.json and so on");
  command.footer(
      "Refuses reports of different matrices, seeds, machines or builds, and a cell that two of them have.\n"
      "Examples:\n"
      "  gdbench run --shard 1/2 --out first.json    and on another machine of the same kind --shard 2/2\n"
      "  gdbench merge first.json second.json --out report.json\n"
      "  gdbench merge part*.json --by-machine");
  when_chosen(command, invocation, [options] { return merge(*options); });
}

}  // namespace gdbench::app
