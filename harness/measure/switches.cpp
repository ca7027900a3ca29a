#include "harness/measure/switches.h"

#include <algorithm>
#include <sstream>

namespace gdbench::measure {

namespace {

constexpr const char* kAll = "all";
constexpr const char* kNone = "none";

}  // namespace

std::optional<std::vector<bool>> parse_switches(const protocol::OptionDeclaration& option, const std::string& value) {
  std::vector<bool> on(option.choices.size(), true);
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty()) continue;
    if (word == kAll || word == kNone) {
      on.assign(on.size(), word == kAll);
      continue;
    }
    const auto choice = std::find(option.choices.begin(), option.choices.end(), word.substr(1));
    if ((word[0] != '-' && word[0] != '+') || choice == option.choices.end()) return std::nullopt;
    on[static_cast<std::size_t>(choice - option.choices.begin())] = word[0] == '+';
  }
  return on;
}

std::string description_of_switch(const protocol::OptionDeclaration& option, const std::string& name) {
  const std::string start = name + ": ";
  std::istringstream lines(option.description);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "";
}

std::string without_switch(const std::string& value, const std::string& name) {
  return (value.empty() || value == kAll ? "" : value + ",") + "-" + name;
}

const protocol::OptionDeclaration* find_switches(const protocol::ImplementationDescription& implementation) {
  const auto& options = implementation.options;
  const auto found = std::find_if(options.begin(), options.end(), [](const protocol::OptionDeclaration& option) {
    return option.type == protocol::OptionType::switches && !option.choices.empty();
  });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace gdbench::measure
