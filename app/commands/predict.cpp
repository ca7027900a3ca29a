#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/output_file.h"
#include "harness/analysis/prediction.h"
#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/questions/compare/compare.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

constexpr int kMostRanks = 1 << 20;

struct PredictCommand {
  std::vector<std::string> reports;
  std::vector<int> ranks = {4, 16, 64, 256, 1024, 4096};
  std::optional<double> latency_ns;
  std::optional<double> bits_per_second;
  AnswerOptions answer;
};

std::optional<report::Network> described_by(const PredictCommand& options) {
  if (!options.latency_ns) return std::nullopt;
  constexpr double kBitsNs = 8e9;  // of a byte, at one bit a second
  report::Network network;
  network.latency_ns = *options.latency_ns;
  network.byte_ns = kBitsNs / *options.bits_per_second;
  return network;
}

Result<int> predict(const PredictCommand& options) {
  const analysis::PredictionOptions wanted = {.ranks = options.ranks, .described = described_by(options)};
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

void add_predict(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<PredictCommand>();
  CLI::App& command =
      *app.add_subcommand("predict", "What would a step take by 4 to 4096 ranks? From reports of one and two");
  add_value(command, "reports", "FILE...", options->reports, "Reports of one machine")->required();
  add_value(command, "--ranks", "N,N...", options->ranks, "Numbers of ranks: 4,16,64")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(integer_from(1, kMostRanks))
      ->default_str("4,16,64,256,1024,4096");
  CLI::Option* latency =
      add_value(command, "--latency", "TIME", options->latency_ns, "What a message takes between two machines")
          ->transform(as_nanoseconds())
          ->default_str("as measured between ranks here");
  CLI::Option* bandwidth =
      add_value(command, "--bandwidth", "RATE", options->bits_per_second, "What goes from one machine to another")
          ->transform(as_bits_per_second())
          ->default_str("likewise");
  latency->needs(bandwidth);
  bandwidth->needs(latency);
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
  when_chosen(command, invocation, [options] { return predict(*options); });
}

}  // namespace gdbench::app
