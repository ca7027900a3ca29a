// Entry point: dispatches, nothing else.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "app/commands.h"

namespace {

// --help and the like print to stdout and end well; everything else is a usage error in one line.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  // CLI11 says that a command is missing where one was misspelt.
  const std::vector<std::string> words = app.get_subcommands().empty() ? app.remaining() : std::vector<std::string>{};
  const std::string what = words.empty() ? error.what() : "found no command \"" + words.front() + "\"";
  std::string command = "gdbench";
  for (const CLI::App* sub = &app; !sub->get_subcommands().empty(); command += " " + sub->get_name()) {
    sub = sub->get_subcommands().back();
  }
  std::fprintf(stderr, "gdbench: %s (see %s --help)\n", what.c_str(), command.c_str());
  return gdbench::app::kUsage;
}

// Whether everything that was printed reached stdout; says on stderr where it did not.
bool written_whole() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "gdbench: stdout: cannot be written: %s\n",
               errno != 0 ? std::strerror(errno) : "not all of the output came through");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gdbench::app;
  // Before anything else is set up: a launch's start-up is part of what every measurement costs.
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return worker_main(argc, argv);

  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error like a full disk, and said as one
  Invocation invocation;
  invocation.command.assign(argv, argv + argc);
  CLI::App app(
      "Compares eager, compiled and hand-written gradient descent: the same arithmetic, verified; the same "
      "run, interleaved.");
  app.name("gdbench");
  app.set_version_flag("--version", "gdbench " GDBENCH_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  gdbench run                                  the default matrix, report in report.json\n"
      "  gdbench run --scenario 'linreg-*' --quick    a glance\n"
      "  gdbench list implementations                 what can be measured here\n"
      "  gdbench verify --impl 'hand/*'               correctness only\n"
      "  gdbench report report.json --markdown -      the same report as a page\n"
      "Exit status: 0 fine; 1 confirmed regression; 2 usage or configuration; 3 an implementation crashed, timed\n"
      "out, is wrong or untrusted; 4 inconclusive, not comparable, or nothing could run; 130 interrupted.");
  for (const auto add :
       {add_list, add_run, add_verify, add_train, add_profile, add_explain, add_crossover, add_ablate, add_compare,
        add_calibrate, add_doctor, add_claims, add_merge, add_report, add_plugin, add_help, add_completion}) {
    add(app, invocation);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    invocation.status = finish_parse(app, error);
  }
  return written_whole() ? invocation.status : gdbench::app::kUsage;
}
