#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/measured_run.h"
#include "app/plan.h"
#include "harness/base/text.h"
#include "harness/measure/eligibility.h"
#include "harness/questions/ablation/ablation.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct AblateOptions {
  Request request;
  std::string implementation;
  AnswerOptions answer;
};

// The option's value under --set; its default otherwise.
std::string value_of(const protocol::OptionDeclaration& option, const std::vector<scenario::Setting>& settings) {
  std::string value = option.default_value;
  for (const scenario::Setting& setting : settings) {
    if (setting.key == "impl." + option.key) value = setting.value;
  }
  return value;
}

// The implementations of this machine that have something to switch off.
Result<std::vector<std::string>> with_switches() {
  std::vector<std::string> ids;
  const std::vector<protocol::CatalogueEntry> catalogue =
      TRY(protocol::read_catalogue(this_build(), worker_limits({})));
  for (const protocol::CatalogueEntry& entry : catalogue) {
    if (measure::find_switches(entry.implementation) != nullptr) ids.push_back(entry.implementation.id);
  }
  return ids;
}

// The variants and their cells. Errors: the implementation is unknown, has nothing to switch off, or all of it is off.
Result<measure::CellGroup> plan(const AblateOptions& options, const CellPlanner& planner, report::Ablation& ablation) {
  const protocol::CatalogueEntry entry = TRY(planner.find("--impl", options.implementation));
  const protocol::OptionDeclaration* option = measure::find_switches(entry.implementation);
  if (option == nullptr) {
    return usage_error("--impl: found " + options.implementation +
                       ", which declares no parts that can be switched off, expected one of " +
                       joined(TRY(with_switches())));
  }
  const std::string value = value_of(*option, planner.settings());
  ablation.implementation = options.implementation;
  ablation.option = option->key;
  ablation.variants = ablation::ablation_variants(*option, value);
  std::vector<CellChoice> choices;
  for (const report::AblationVariant& variant : ablation.variants) {
    choices.push_back({options.implementation, {{"impl." + option->key, variant.value}}});
  }
  measure::CellGroup group = TRY(planner.plan(choices));
  if (choices.size() == 1) {
    return usage_error("impl." + option->key + "=" + value + ": found everything off, expected something on");
  }
  ablation.scenario = group.report().scenarios.front().label;
  return group;
}

Result<int> ablate(const AblateOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  TRY(check_output(options.request.output));
  const measure::RunOptions run = run_options(options.request);
  const CellPlanner planner = TRY(CellPlanner::make(options.request, {options.implementation}));
  report::Ablation ablation;
  measure::CellGroup group = TRY(plan(options, planner, ablation));
  report::Report planned;
  planned.run.baseline = options.implementation;
  Run running = TRY(Run::open(invocation, run, options.request.output, std::move(planned)));
  const Status status = ablation::measure_ablation(group, run, ablation);
  if (status.ok()) running.add(group);
  return running.close(status, [&](const report::Report& report) -> Status {
    if (!report.cells.empty())
      TRY(print_answer(options.answer, answers::document_of(ablation), report::to_json(ablation)));
    report_failed_cells(report);
    return Status();
  });
}

}  // namespace

void add_ablate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<AblateOptions>();
  CLI::App& command =
      *app.add_subcommand("ablate", "What each part that can be switched off, such as a graph's pass, is worth");
  add_value(command, "--impl", "ID", options->implementation, "Implementation with such parts")->required();
  add_cell_options(command, options->request, 30);
  add_value(command, "--launches", "N", options->request.launches,
            "Exactly so many fresh processes per variant (default: as many as the budget gives)")
      ->check(integer_from(1, 100'000));
  add_answer_options(command, options->answer, "what each part is worth");
  command.footer(
      "Examples:\n"
      "  gdbench ablate mlp-10-50-1 --impl graph/eigen\n"
      "  gdbench ablate mlp-784-128-10 --impl graph/onednn --set batch=256 --budget 2m --json\n"
      "  gdbench ablate mlp-10-50-1 --impl graph/eigen --html parts.html\n"
      "  gdbench ablate linreg-300x10 --impl graph/eigen --set impl.passes=-fusion   the others, without fusion");
  when_chosen(command, invocation, [options, &invocation] { return ablate(*options, invocation); });
}

}  // namespace gdbench::app
