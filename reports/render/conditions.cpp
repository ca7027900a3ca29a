#include "reports/render/conditions.h"

#include "reports/render/format.h"

namespace gdbench::render {

namespace {

using report::Condition;
using report::Severity;

// "warning: load: 43% of the processors; blocks are interrupted. Wait for other processes."
std::string line_of(const Condition& condition) {
  std::string line = std::string(report::name_of(condition.severity)) + ": " + condition.name + ": " + condition.found;
  if (!condition.effect.empty()) line += "; " + condition.effect;
  if (!condition.advice.empty()) line += ". To do: " + condition.advice;
  return line + "\n";
}

}  // namespace

std::string conditions_table(const std::vector<Condition>& conditions, int width) {
  std::string text;
  std::size_t warnings = 0;
  for (const Severity severity : {Severity::warning, Severity::notice, Severity::unknown, Severity::fine}) {
    for (const Condition& condition : conditions) {
      if (condition.severity != severity) continue;
      text += wrapped(line_of(condition), width);
      warnings += severity == Severity::warning ? 1 : 0;
    }
  }
  return text + (warnings == 0 ? "Nothing here is known to spoil measurements.\n"
                               : counted(warnings, "condition") + " will spoil measurements here.\n");
}

}  // namespace gdbench::render
