#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/claim_runs.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/request.h"
#include "harness/base/json.h"
#include "harness/scenario/scenario.h"
#include "reports/answers/format.h"

namespace gdbench::app {

namespace {

// What is listed: `name` and `description` for people, everything for programs.
using Entries = std::vector<Json>;

constexpr std::size_t kNarrowest = 20;  // characters of a description in a line

Result<Entries> scenarios() {
  Entries entries;
  for (const scenario::KnownScenario& candidate : TRY(scenario::list_scenarios(scenario_folders()))) {
    const scenario::Scenario scenario = TRY(scenario::read_scenario(candidate.file, {}));
    entries.push_back({{"name", candidate.name},
                       {"description", scenario.purpose},
                       {"favours", scenario.favours},
                       {"resolved", scenario::to_json(scenario)}});
  }
  return entries;
}

Json implementation_entry(const protocol::CatalogueEntry& entry) {
  const protocol::ImplementationDescription& implementation = entry.implementation;
  if (entry.problem.has_value()) {
    return {
        {"name", implementation.id}, {"description", "cannot be used: " + entry.problem->message}, {"usable", false}};
  }
  Json options = Json::array();
  for (const protocol::OptionDeclaration& option : implementation.options) {
    options.push_back({{"key", option.key},
                       {"default", option.default_value},
                       {"choices", option.choices},
                       {"description", option.description}});
  }
  const std::string& unavailable = implementation.unavailable;
  return {{"name", implementation.id},
          {"description", implementation.description + (unavailable.empty() ? "" : " (" + unavailable + ")")},
          {"usable", unavailable.empty()},
          {"plugin", entry.plugin},
          {"build", implementation.build},
          {"dtypes", implementation.dtypes},
          {"losses", implementation.losses},
          {"optimizers", implementation.optimizers},
          {"activations", implementation.activations},
          {"capabilities", implementation.capabilities},
          {"options", std::move(options)}};
}

Result<Entries> implementations() {
  Entries entries;
  const std::vector<protocol::CatalogueEntry> catalogue =
      TRY(protocol::read_catalogue(this_build(), worker_limits({})));
  for (const protocol::CatalogueEntry& entry : catalogue) {
    entries.push_back(implementation_entry(entry));
  }
  return entries;
}

Result<Entries> matrices() {
  Entries entries;
  for (const std::filesystem::path& file : files_beside_scenarios(kMatrices)) {
    const scenario::Matrix matrix = TRY(scenario::read_matrix(file));
    entries.push_back({{"name", file.stem().string()},
                       {"description", matrix.purpose},
                       {"baseline", matrix.baseline},
                       {"axes", matrix.axes}});
  }
  return entries;
}

Result<Entries> claims() {
  Entries entries;
  for (const claims::Claim& claim : TRY(read_claims())) {
    entries.push_back(
        {{"name", claim.id}, {"description", claim.sentence}, {"source", claim.source}, {"purpose", claim.purpose}});
  }
  return entries;
}

// Lines that begin with a name, which shells take: a description goes on below itself in a terminal, and never for
// programs that read lines.
std::string lines_of(const Entries& entries) {
  std::size_t width = 0;
  for (const Json& entry : entries) width = std::max(width, entry.at("name").get_ref<const std::string&>().size());
  const std::size_t margin = width + 2;
  const std::size_t columns = width_is_known() ? static_cast<std::size_t>(terminal_width()) : std::string::npos;
  std::string text;
  for (const Json& entry : entries) {
    const std::string lines =
        answers::paragraph(entry.at("description"), margin, std::max(columns, margin + kNarrowest));
    text += answers::padded(entry.at("name"), margin, false) + (lines.empty() ? "\n" : lines.substr(margin));
  }
  return text;
}

struct Kind {
  const char* name;
  const char* description;
  Result<Entries> (*list)();
};

constexpr Kind kKinds[] = {
    {"scenarios", "Problems that can be run", &scenarios},
    {"implementations", "What can run them on this machine", &implementations},
    {"matrices", "Sets of cells", &matrices},
    {"claims", "Sentences about speed that can be put to the test", &claims},
};

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  CLI::App& command =
      *app.add_subcommand("list", "List scenarios, implementations, matrices or claims; or what can be listed");
  command.footer("Examples:\n  gdbench list scenarios\n  gdbench list implementations --json");
  for (const Kind& kind : kKinds) {
    auto options = std::make_shared<AnswerOptions>();
    CLI::App& sub = *command.add_subcommand(kind.name, kind.description);
    add_answer_options(sub, *options, "the list");
    when_chosen(sub, invocation, [&kind, options]() -> Result<int> {
      install_signal_handlers();
      const Entries entries = TRY(kind.list());
      if (interrupted()) return report_interrupted();
      document::Columns table = {answers::left("name"), answers::left("description")};
      for (const Json& entry : entries) add_row(table, {entry.at("name"), entry.at("description")});
      document::Document listed{.title = kind.description};
      listed.section("", document::Blocks().table("", std::move(table)));
      TRY(print_answer(*options, listed, {{kind.name, entries}}, lines_of(entries)));
      return kFine;
    });
  }
  when_chosen(command, invocation, [&command, &invocation]() -> Result<int> {
    if (!command.get_subcommands().empty()) return invocation.status;
    Entries kinds;
    for (const Kind& kind : kKinds) kinds.push_back({{"name", kind.name}, {"description", kind.description}});
    print_text(lines_of(kinds));
    return kFine;
  });
}

}  // namespace gdbench::app
