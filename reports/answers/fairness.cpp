#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

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

// Puts the values in. What stands in [] is left out where one of its own is not known.
std::string filled(const std::string& text, const Values& values) {
  std::string result;
  std::size_t optional_begin = 0;
  bool known = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') {
      optional_begin = result.size();
      known = true;
    } else if (text[i] == ']') {
      if (!known) result.resize(optional_begin);
    } else if (text[i] == '{') {
      const std::size_t close = text.find('}', i);
      const auto value = values.find(text.substr(i + 1, close - i - 1));
      known = known && value != values.end();
      if (value != values.end()) result += value->second;
      i = close;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string unknown_words(const Comparison& comparison, const fairness::Unknown& unknown) {
  if (unknown.side) {
    return cat(unknown.key, ": ", *unknown.side == Side::a ? comparison.a : comparison.b, " does not say.");
  }
  return unknown.key + (unknown.key == "initial"
                            ? ": one seed draws other numbers in another library: \"same\" means copied."
                            : ": what both say does not prove that it is the same.");
}

std::string conclusion(const Comparison& comparison) {
  if (!comparison.findings.empty()) {
    const Finding& first = comparison.findings.front();
    const std::string words = first.rule->words;
    const std::string mend = words.substr(words.find(fairness::kToMend) + std::strlen(fairness::kToMend));
    return "Not fair. First, " + filled(mend, values_of(comparison, first));
  }
  if (comparison.compared.empty()) return "Nothing was compared: no key is said by both.";
  return "Fair, as far as both say: " + counted(comparison.compared.size(), "point") + " compared" +
         (comparison.unknown.empty() ? "" : ", " + std::to_string(comparison.unknown.size()) + " unknown") + ".";
}

}  // namespace

std::vector<std::string> findings_of(const Comparison& comparison, Harm harm) {
  std::vector<std::string> findings;
  for (const Finding& finding : comparison.findings) {
    if (finding.rule->harm == harm) findings.push_back(filled(finding.rule->words, values_of(comparison, finding)));
  }
  return findings;
}

Document document_of(const Comparison& comparison) {
  Document document{.title = comparison.a + " compared with " + comparison.b,
                    .answer = {{conclusion(comparison), comparison.fair() ? Style::good : Style::bad}}};
  for (const auto& harm : fairness::kHarms) {
    document.section(harm.heading, Blocks().list(findings_of(comparison, harm.value)));
  }
  std::vector<std::string> words;
  for (const fairness::Unknown& one : comparison.unknown) words.push_back(unknown_words(comparison, one));
  if (!comparison.unsaid.empty()) words.push_back("Neither says: " + joined(comparison.unsaid) + ".");
  document.section("Unknown, so not judged", Blocks().list(words));
  return document;
}

}  // namespace gdbench::answers
