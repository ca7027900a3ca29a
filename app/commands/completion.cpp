#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/commands.h"

namespace gdbench::app {

namespace {

// "--scenario --impl ...".
std::string options_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  return words;
}

// The options, and the names of the subcommands with theirs.
std::string words_of(const CLI::App& app) {
  std::string words = options_of(app);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    words += sub->get_name() + " " + (app.get_parent() == nullptr ? "" : options_of(*sub));
  }
  return words;
}

// What stands behind a command beside its words: files, names that gdbench lists.
std::string operands_of(const std::string& command) {
  const std::string files = " $(compgen -f -- \"$word\")";
  if (command == "claims") return " all $(gdbench list claims 2>/dev/null | cut -d' ' -f1)" + files;
  return command == "report" || command == "compare" || command == "merge" || command == "explain" ||
                 command == "plugin"
             ? files
             : "";
}

// Names of scenarios, implementations and claims are asked of gdbench itself when they are completed.
std::string bash_script(const CLI::App& app) {
  std::string script =
      "_gdbench() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words\n"
      "  case $previous in\n"
      "    --scenario|train|profile|crossover|ablate) words=$(gdbench list scenarios 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    --impl|--a|--b) words=$(gdbench list implementations 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    --out|--dump|--build|--markdown|--csv|--google-benchmark) COMPREPLY=($(compgen -f -- \"$word\")); return "
      ";;\n"
      "    *) case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    script += "      " + sub->get_name() + ") words=\"" + words_of(*sub) + operands_of(sub->get_name()) + "\" ;;\n";
  }
  script += "      *) words=\"" + words_of(app) +
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
  CLI::App* command = app.add_subcommand("completion", "Print a shell's completion script");
  command->add_option("shell", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->capture_default_str();
  command->footer("Examples:\n  source <(gdbench completion bash)\n  source <(gdbench completion zsh)");
  command->callback([&app, shell, &invocation] {
    if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
    std::cout << bash_script(app);
    invocation.status = kFine;
  });
}

}  // namespace gdbench::app
