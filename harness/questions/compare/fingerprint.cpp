#include "harness/questions/compare/fingerprint.h"

#include "harness/base/json.h"
#include "harness/base/json_reader.h"

namespace gdbench::compare {

std::string first_difference(std::span<const char* const> parts, const std::string& base, const std::string& next) {
  constexpr std::size_t kLongest = 60;
  const auto brief = [](const Json& value) {
    const std::string text = compact(value);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  const auto value_at = [](const Json& environment, const char* part) {
    const Json::json_pointer pointer(part);
    return environment.contains(pointer) ? environment[pointer] : Json();
  };
  const Json base_environment = Json::parse(base);
  const Json next_environment = Json::parse(next);
  for (const char* part : parts) {
    const Json here = value_at(next_environment, part);
    const Json there = value_at(base_environment, part);
    if (here != there) return std::string(part + 1) + ": found " + brief(here) + ", the base has " + brief(there);
  }
  return "";
}

}  // namespace gdbench::compare
