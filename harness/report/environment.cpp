#include "harness/report/environment.h"

#include <nlohmann/json.hpp>

namespace gdbench::report {

std::string text_at(const Json& environment, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!environment.contains(place)) return "";
  const Json& value = environment[place];
  return value.is_string() ? value.get<std::string>() : "";
}

std::string revision_of(const Json& environment, std::size_t digits) {
  const std::string revision = text_at(environment, "/build/git_revision").substr(0, digits);
  const Json::json_pointer dirty("/build/git_dirty");
  const bool is_changed = environment.contains(dirty) && environment[dirty] == true;
  return revision.empty() || !is_changed ? revision : revision + " with changes";
}

}  // namespace gdbench::report
