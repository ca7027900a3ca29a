#include <algorithm>
#include <memory>
#include <set>

#include "app/commands.h"
#include "app/console.h"
#include "harness/base/text.h"

namespace gdbench::app {

namespace {

// The options, and the names of the commands; with theirs where the program's own are not meant.
std::string words_of(CLI::App& app, bool with_options_of_commands) {
  std::vector<std::string> words = option_names(app);
  for (CLI::App* command : commands_of(app)) {
    words.push_back(command->get_name());
    if (!with_options_of_commands) continue;
    const std::vector<std::string> options = option_names(*command);
    words.insert(words.end(), options.begin(), options.end());
  }
  return joined(words, " ");
}

// Options and operands of a command and of those below it.
template <class Visit>
void visit_options(CLI::App& app, const Visit& visit) {
  for (const CLI::Option* option : app.get_options()) visit(*option);
  for (CLI::App* command : commands_of(app)) visit_options(*command, visit);
}

// Whether the help calls the option's value by one of these words.
bool takes(const CLI::Option& option, std::initializer_list<const char*> types) {
  const std::string type = option.get_type_name();
  return std::ranges::any_of(types, [&](const char* word) { return type.find(word) != std::string::npos; });
}

constexpr auto kFiles = {"FILE", "FOLDER", "DIRECTORY", "PATH"};

std::string operands_of(CLI::App& command) {
  std::set<std::string> words;
  visit_options(command, [&](const CLI::Option& option) {
    if (!option.get_positional()) return;
    if (takes(option, {"ID"})) words.insert(" all $(gdbench list claims 2>/dev/null | cut -d' ' -f1)");
    if (takes(option, kFiles)) words.insert(" $(compgen -f -- \"$word\")");
  });
  return joined({words.begin(), words.end()}, "");
}

// "--out|--html": those that take a file in every command that has them.
std::string options_with_file(CLI::App& app) {
  std::set<std::string> names;
  std::set<std::string> others;
  visit_options(app, [&](const CLI::Option& option) {
    for (const std::string& name : option.get_lnames()) (takes(option, kFiles) ? names : others).insert("--" + name);
  });
  std::erase_if(names, [&](const std::string& name) { return others.contains(name); });
  return joined({names.begin(), names.end()}, "|");
}

// Names of scenarios, implementations and claims are asked of gdbench itself when they are completed.
std::string bash_script(CLI::App& app) {
  std::string script =
      "_gdbench() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words\n"
      "  case $previous in\n"
      "    --scenario|train|profile|crossover|ablate) words=$(gdbench list scenarios 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    --impl|--a|--b) words=$(gdbench list implementations 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    " +
      options_with_file(app) +
      ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "    *) case ${COMP_WORDS[1]} in\n";
  for (CLI::App* command : commands_of(app)) {
    script +=
        cat("      ", command->get_name(), ") words=\"", words_of(*command, true), operands_of(*command), "\" ;;\n");
  }
  script += "      *) words=\"" + words_of(app, false) +
            "\" ;;\n"
            "    esac ;;\n"
            "  esac\n"
            "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "}\n"
            "complete -F _gdbench gdbench\n";
  return script;
}

}  // namespace

void add_completion(CLI::App& app, Invocation& invocation) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App& command = *app.add_subcommand("completion", "Print a shell's completion script");
  command.add_option("shell", *shell, "bash or zsh")->check(name_of_these({"bash", "zsh"}))->capture_default_str();
  command.footer("Examples:\n  source <(gdbench completion bash)\n  source <(gdbench completion zsh)");
  when_chosen(command, invocation, [&app, shell] {
    if (*shell == "zsh") print_text("autoload -U +X bashcompinit && bashcompinit\n");
    print_text(bash_script(app));
    return kFine;
  });
}

}  // namespace gdbench::app
