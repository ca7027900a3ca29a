// What is typed: settings, globs, options with switches, sizes.
#include <string>

#include "harness/measure/eligibility.h"
#include "harness/scenario/expand.h"
#include "harness/scenario/scenario.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(words) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(gdbench::scenario::parse_setting(text));
  static_cast<void>(gdbench::scenario::as_threads(text, 4));
  const std::size_t half = size / 2;
  static_cast<void>(gdbench::glob_match(text.substr(0, half), text.substr(half)));
  gdbench::protocol::OptionDeclaration option{.key = "passes",
                                              .type = gdbench::protocol::OptionType::switches,
                                              .default_value = "all",
                                              .choices = {"fusion", "layout"},
                                              .description = ""};
  static_cast<void>(gdbench::measure::parse_switches(option, text));
  return 0;
}
