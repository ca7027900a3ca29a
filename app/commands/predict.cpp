#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/output_file.h"
#include "harness/analysis/prediction.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/questions/compare/compare.h"
#include "reports/answers/prediction.h"

namespace gdbench::app {

namespace {

constexpr int kMostRanks = 1 << 20;

struct PredictCommand {
  std::vector<std::string> reports;
  std::vector<int> ranks = {4, 16, 64, 256, 1024, 4096};
  std::string latency;
  std::string bandwidth;
  AnswerOptions answer;
};

Result<std::optional<report::Network>> described_by(const PredictCommand& options) {
  if (options.latency.empty()) return std::optional<report::Network>();
  constexpr double kBitsNs = 8e9;  // of a byte, at one bit a second
  report::Network network;
  network.latency_ns = TRY(parse_nanoseconds("--latency", options.latency));
  network.byte_ns = kBitsNs / TRY(parse_bits_per_second("--bandwidth", options.bandwidth));
  return std::optional(network);
}

Result<int> predict(const PredictCommand& options) {
  const analysis::PredictionOptions wanted = {.ranks = options.ranks, .described = TRY(described_by(options))};
  std::vector<report::Report> reports;
  for (const std::string& path : options.reports) {
    reports.push_back(TRY(stored_report(path)));
    const std::string difference =
        compare::first_difference(compare::kMachine, reports.front().environment, reports.back().environment);
    if (!difference.empty()) {
      return usage_error(cat(path, ": /environment/", difference, " (", options.reports.front(), ")"));
    }
  }
  const Result<report::Predictions> found = analysis::predict(reports, wanted);
  if (!found.ok()) return usage_error(cat(joined(options.reports), ": ", found.error().message));
  TRY(print_answer(options.answer, answers::document_of(*found), report::to_json(*found)));
  return kFine;
}

}  // namespace

void add_predict(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<PredictCommand>();
  CommandLine command =
      app.command("predict", "What would a step take by 4 to 4096 ranks? From reports of one and two");
  command.option("reports", options->reports, "Reports of one machine").required().type_name("FILE...");
  command.option("--ranks", options->ranks, "Numbers of ranks: 4,16,64")
      .type_name("N,N...")
      .separated_by_commas()
      .between(1, kMostRanks)
      .show_default("4,16,64,256,1024,4096");
  CommandOption latency = command.option("--latency", options->latency, "What a message takes between two machines")
                              .type_name("TIME")
                              .show_default("as measured between ranks here");
  CommandOption bandwidth = command.option("--bandwidth", options->bandwidth, "What goes from one machine to another")
                                .type_name("RATE")
                                .show_default("likewise");
  latency.needs(bandwidth);
  bandwidth.needs(latency);
  add_answer_options(command, options->answer, "the predictions");
  command.footer(
      "The reports must have an implementation with ranks=1 and ranks=2, or in batches of several sizes, and rows "
      "that\n"
      "compute nothing (hand/null+mpi) with ranks=2 and gradients of several sizes, as matrix all-reduce has.\n"
      "docs/predicting.md says what the model assumes, and how to have SimGrid simulate the same.\n"
      "Examples:\n"
      "  gdbench run ranks --out ranks.json && gdbench run all-reduce --out all-reduce.json\n"
      "  gdbench predict ranks.json all-reduce.json\n"
      "  gdbench predict ranks.json --ranks 8,32 --latency 50us --bandwidth 10Gbit/s --html predicted.html");
  command.when_chosen(invocation, [options] { return predict(*options); });
}

}  // namespace gdbench::app
