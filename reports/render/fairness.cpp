#include "reports/render/fairness.h"

#include <algorithm>
#include <map>
#include <optional>

#include "reports/render/fairness_sentences.h"
#include "reports/render/format.h"

namespace gdbench::render {

namespace {

using fairness::Comparison;
using fairness::Finding;
using fairness::Harm;
using fairness::Side;

using Values = std::map<std::string, std::string>;

Values values_of(const Comparison& comparison, const Finding& finding) {
  Values values = {{"A", comparison.a}, {"B", comparison.b}, {"key", finding.key}};
  const bool by_b = finding.side == Side::b;
  if (finding.side) {
    values["side"] = by_b ? comparison.b : comparison.a;
    values["other"] = by_b ? comparison.a : comparison.b;
    values["value"] = by_b ? finding.b : finding.a;
  } else {
    values["a"] = finding.a;
    values["b"] = finding.b;
  }
  if (finding.ratio) {
    values["ratio"] = format_number(*finding.ratio);
    values["times"] = format_number(std::max(*finding.ratio, 1 / *finding.ratio));
  }
  if (finding.learning_rate) values["rate"] = exact(*finding.learning_rate);
  return values;
}

// Puts the values in. Nothing where one of them is not known.
std::optional<std::string> filled(const std::string& text, const Values& values) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    const auto value = values.find(text.substr(open + 1, close - open - 1));
    if (value == values.end()) return std::nullopt;
    result += text.substr(at, open - at) + value->second;
    at = close + 1;
  }
  return result + text.substr(at);
}

// The same, with what is optional.
std::string sentence(const std::string& text, const Values& values) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string::npos) return filled(text, values).value_or(text);
  const std::string optional_part = filled(text.substr(open + 1, close - open - 1), values).value_or("");
  return filled(text.substr(0, open), values).value_or("") + optional_part +
         filled(text.substr(close + 1), values).value_or("");
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

const char* heading(Harm harm) {
  switch (harm) {
    case Harm::wrong:
      return "One side is not what it is taken for:";
    case Harm::work:
      return "The sides do not do the same work:";
    case Harm::clock:
      return "The clocks do not measure the same:";
    case Harm::training:
      return "Losses and steps to a target cannot be compared:";
  }
  return "";
}

std::string mend_of(const Comparison& comparison, const Finding& finding) {
  return sentence(fairness_sentence(finding.rule).mend, values_of(comparison, finding));
}

std::string findings_words(const Comparison& comparison) {
  std::string text;
  std::optional<Harm> harm;
  int rank = 0;
  for (const Finding& finding : comparison.findings) {
    if (harm != fairness::harm_of(finding.rule)) {
      harm = fairness::harm_of(finding.rule);
      text += std::string("\n  ") + heading(*harm) + "\n";
    }
    const FairnessSentence& says = fairness_sentence(finding.rule);
    const Values values = values_of(comparison, finding);
    text += "    " + std::to_string(++rank) + ". " + sentence(says.what, values) + ".\n       " +
            capitalised(sentence(says.effect, values)) + ".\n       To mend it, " + sentence(says.mend, values) + ".\n";
  }
  return text;
}

std::string unknown_words(const Comparison& comparison) {
  std::string text;
  for (const fairness::Unknown& unknown : comparison.unknown) {
    text += "    " + unknown.key + ": ";
    if (unknown.side) {
      text += (*unknown.side == Side::a ? comparison.a : comparison.b) + " does not say.\n";
    } else {
      text += unknown.key == "initial" ? "one seed draws other numbers in another library: \"same\" means copied.\n"
                                       : "what both say does not prove that it is the same.\n";
    }
  }
  return text.empty() ? "" : "\n  Unknown, so not judged:\n" + text;
}

std::string unsaid_words(const Comparison& comparison) {
  std::string text;
  for (const std::string& key : comparison.unsaid) text += (text.empty() ? "\n  Neither says: " : ", ") + key;
  return text.empty() ? "" : text + ".\n";
}

std::string conclusion(const Comparison& comparison) {
  if (!comparison.findings.empty()) {
    return "Not fair. First, " + mend_of(comparison, comparison.findings.front()) + ".\n";
  }
  if (comparison.compared.empty()) return "Nothing was compared: no key is said by both.\n";
  return "Fair, as far as both say: " + counted(comparison.compared.size(), "point") + " compared" +
         (comparison.unknown.empty() ? "" : ", " + std::to_string(comparison.unknown.size()) + " unknown") + ".\n";
}

}  // namespace

std::string fairness_words(const Comparison& comparison, int width) {
  return wrapped(comparison.a + " beside " + comparison.b + "\n" + findings_words(comparison) +
                     unknown_words(comparison) + unsaid_words(comparison) + "\n" + conclusion(comparison),
                 width);
}

}  // namespace gdbench::render
