#include <memory>

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

// What stands behind a command beside its words: files, names that gdbench lists.
std::string operands_of(const std::string& command) {
  const std::string files = " $(compgen -f -- \"$word\")";
  if (command == "claims") return " all $(gdbench list claims 2>/dev/null | cut -d' ' -f1)" + files;
  return command == "report" || command == "compare" || command == "merge" || command == "explain" ||
                 command == "history" || command == "predict" || command == "plugin"
             ? files
             : "";
}

// Names of scenarios, implementations and claims are asked of gdbench itself when they are completed.
std::string bash_script(CLI::App& app) {
  std::string script =
      "_gdbench() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words\n"
      "  case $previous in\n"
      "    --scenario|train|profile|crossover|ablate) words=$(gdbench list scenarios 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    --impl|--a|--b) words=$(gdbench list implementations 2>/dev/null | cut -d' ' -f1) ;;\n"
      "    --out|--dump|--build|--html|--markdown|--csv|--samples|--google-benchmark|--pyperf|--bencher|"
      "--github-action|--junit|--openmetrics) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "    *) case ${COMP_WORDS[1]} in\n";
  for (CLI::App* command : commands_of(app)) {
    script += cat("      ", command->get_name(), ") words=\"", words_of(*command, true),
                  operands_of(command->get_name()), "\" ;;\n");
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
