#include "app/overrides.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "harness/base/text.h"
#include "harness/scenario/settings.h"

namespace gdbench::app {

Overridden split_overrides(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || text.find_first_of("?[") < equals) return {"", text};
  const std::size_t slash = text.find('/', equals);
  if (slash == std::string::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

Result<std::vector<scenario::Setting>> parse_overrides(const std::string& option, const std::string& overrides) {
  std::vector<scenario::Setting> settings;
  std::istringstream list(overrides);
  for (std::string part; std::getline(list, part, ',');) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos && !settings.empty()) {
      settings.back().value += "," + part;
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      return usage_error(cat(option, ": found ", in_quotes(part), ", expected KEY=VALUE"));
    }
    scenario::Setting setting{.key = part.substr(0, equals), .value = part.substr(equals + 1)};
    setting.source = cat(option, " ", setting.key);
    if (scenario::find_setting(settings, setting.key) != nullptr) {
      return usage_error(cat(option, " ", setting.key, ": found a second value, expected one of each key"));
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

std::string overrides_text(const std::vector<scenario::Setting>& settings) {
  std::vector<std::string> parts;
  for (const scenario::Setting& setting : settings) parts.push_back(setting.key + "=" + setting.value);
  return joined(parts, ",");
}

}  // namespace gdbench::app
