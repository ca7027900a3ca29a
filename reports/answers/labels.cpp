#include "reports/answers/labels.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "harness/base/text.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using Words = std::vector<std::string>;

// "mlp[batch=1,dtype=f64] @4" has four.
Words words_of(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '[' || c == ',' || c == ']'; }, ' ');
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool fit(const Words& labels, std::size_t width) {
  return std::ranges::all_of(labels, [width](const std::string& label) { return display_width(label) <= width; });
}

// The words that every label has, where each has another one, too.
Words common_words(const std::vector<Words>& labels) {
  if (labels.size() < 2) return {};
  Words common;
  for (const std::string& word : labels.front()) {
    const bool everywhere =
        std::ranges::all_of(labels, [&](const Words& label) { return std::ranges::find(label, word) != label.end(); });
    if (everywhere) common.push_back(word);
  }
  const bool leave_something =
      std::ranges::all_of(labels, [&](const Words& label) { return label.size() > common.size(); });
  return leave_something ? common : Words();
}

std::string without_path(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return word;
  const std::size_t dot = word.rfind('.', equals);
  return dot == std::string::npos ? word : word.substr(dot + 1);
}

std::string value_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? word : word.substr(equals + 1);
}

Words rewritten(const std::vector<Words>& labels, std::string (*word_as)(const std::string&)) {
  Words texts;
  for (const Words& label : labels) {
    Words words;
    std::transform(label.begin(), label.end(), std::back_inserter(words), word_as);
    texts.push_back(joined(words, " "));
  }
  return texts;
}

}  // namespace

std::vector<std::string> shortened(const std::vector<std::string>& labels, std::size_t width, std::string& common) {
  std::vector<Words> words;
  std::transform(labels.begin(), labels.end(), std::back_inserter(words), words_of);
  const Words shared = common_words(words);
  for (Words& label : words) {
    for (const std::string& word : shared) label.erase(std::ranges::find(label, word));
  }
  common = joined(shared, " ");
  if (shared.empty() && fit(labels, width)) return labels;
  Words texts = rewritten(words, [](const std::string& word) { return word; });
  if (fit(texts, width)) return texts;
  texts = rewritten(words, without_path);
  if (fit(texts, width)) return texts;
  const Words values = rewritten(words, value_of);
  const bool distinct = std::set<std::string>(values.begin(), values.end()).size() == values.size();
  if (distinct) texts = values;
  for (std::string& text : texts) text = cut(text, width);
  return texts;
}

std::string short_id(const std::string& label, const std::string& id) {
  const std::string prefix = label + "/";
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

std::vector<std::string> overrides_of(const std::string& label) {
  const std::size_t bracket = label.rfind('[');
  if (bracket == std::string::npos) return {};
  Words overrides;
  std::istringstream list(label.substr(bracket + 1, label.size() - bracket - 2));
  for (std::string one; std::getline(list, one, ',');) overrides.push_back(one);
  return overrides;
}

std::string key_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

}  // namespace gdbench::answers
