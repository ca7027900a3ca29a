#include <string>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Severity;

// Of conditions in the order in which a reader needs them.
constexpr std::pair<Severity, const char*> kKinds[] = {{Severity::warning, "What will spoil measurements"},
                                                       {Severity::notice, "What may change them"},
                                                       {Severity::unknown, "What cannot be seen"},
                                                       {Severity::fine, "What is fine"}};

// "load: 43% of the processors; blocks are interrupted. To do: wait for other processes or stop them"
std::string condition_words(const report::Condition& condition) {
  return cat(condition.name, ": ", condition.found, condition.effect.empty() ? "" : "; " + condition.effect,
             condition.advice.empty() ? "" : ". To do: " + condition.advice);
}

}  // namespace

Document document_of(const std::vector<report::Condition>& conditions) {
  Document document{.title = "gdbench doctor: this machine and what is set on it"};
  std::size_t warnings = 0;
  for (const auto& [severity, title] : kKinds) {
    std::vector<std::string> words;
    for (const report::Condition& condition : conditions) {
      if (condition.severity == severity) words.push_back(condition_words(condition));
    }
    if (severity == Severity::warning) warnings = words.size();
    const Style style = severity == Severity::warning ? Style::bad : Style::plain;
    document.section(title, Blocks().list(words, style));
  }
  if (warnings == 0) {
    document.answer = {{"Nothing here is known to spoil measurements."}};
  } else {
    document.answer = {{counted(warnings, "condition") + " will spoil measurements here.", Style::bad}};
  }
  return document;
}

}  // namespace gdbench::answers
