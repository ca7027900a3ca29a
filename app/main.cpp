// Entry point: dispatches, nothing else.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "app/commands.h"
#include "app/own_files.h"
#include "app/python_environments.h"

namespace {

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

// A standard stream that was closed gets a descriptor that refuses to be written, so that no file and no pipe gets its
// number: workers would take it for their own.
void hold_standard_streams() {
  while (true) {
    const int lowest = open("/dev/null", O_RDONLY);
    if (lowest >= 0 && lowest <= STDERR_FILENO) continue;
    if (lowest >= 0) close(lowest);
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gdbench::app;
  // Before anything else is set up: a launch's start-up is part of what every measurement costs.
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return worker_main(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], "rank") == 0) return rank_main(argc, argv);

  hold_standard_streams();
  // A reader that went away and a file that may not grow are errors like a full disk, and said as one.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Invocation invocation;
  invocation.command.assign(argv, argv + argc);
  CLI::App program(
      "Compares eager, compiled and hand-written gradient descent: the same arithmetic, verified; the same "
      "run, interleaved.",
      "gdbench");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  program.footer(
      "Examples:\n"
      "  gdbench run                                  the default matrix, report in report.json\n"
      "  gdbench run --scenario 'linreg-*' --quick    a glance\n"
      "  gdbench list implementations                 what can be measured here\n"
      "  gdbench verify --impl 'hand/*'               correctness only\n"
      "  gdbench report report.json --markdown -      the same report as a page\n"
      "Exit status: 0 fine; 1 confirmed regression; 2 usage or configuration; 3 an implementation crashed, timed\n"
      "out, is wrong or untrusted; 4 inconclusive, not comparable, or nothing could run; 130 interrupted.");
  for (const auto add :
       {add_list,   add_run,       add_verify, add_train,   add_watch,   add_data,    add_profile,   add_explain,
        add_answer, add_crossover, add_ablate, add_compare, add_history, add_predict, add_calibrate, add_doctor,
        add_claims, add_merge,     add_report, add_submit,  add_site,    add_plugin,  add_help,      add_completion}) {
    add(program, invocation);
  }
  const auto chosen = choose_interpreter(invocation.command);
  if (!chosen.ok()) return report_error(chosen.error());
  const auto arguments = replace_own_files(invocation.command);
  if (!arguments.ok()) return report_error(arguments.error());
  parse(program, arguments.value(), invocation.status);
  return written_whole() ? invocation.status : gdbench::app::kUsage;
}
