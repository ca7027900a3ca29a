#include "harness/questions/compare/fingerprint.h"

#include <array>
#include <span>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"

namespace gdbench::compare {

namespace {

// Not the load or the frequency of the moment, which differ from run to run, nor memory_bytes, which a hypervisor
// changes.
constexpr std::array kMachine = {"/cpu/model",
                                 "/cpu/vendor",
                                 "/cpu/features",
                                 "/cpu/caches",
                                 "/cpu/logical_processors",
                                 "/cpu/allowed_processors",
                                 "/cpu/governor",
                                 "/kernel",
                                 "/virtual_machine"};
constexpr std::array kBuild = {"/build/compiler", "/build/flags", "/build/type", "/libraries"};

constexpr std::array kRevision = {"/build/git_revision", "/build/git_dirty"};

Json value_at(const Json& environment, const char* path) {
  const Json::json_pointer pointer(path);
  return environment.contains(pointer) ? environment[pointer] : Json();
}

std::string first_difference(const std::string& base, const std::string& next, std::span<const char* const> paths) {
  constexpr std::size_t kLongest = 60;
  const auto brief = [](const Json& value) {
    const std::string text = compact(value);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  const Json base_environment = Json::parse(base);
  const Json next_environment = Json::parse(next);
  for (const char* path : paths) {
    const Json here = value_at(next_environment, path);
    const Json there = value_at(base_environment, path);
    if (here != there) return std::string(path + 1) + ": found " + brief(here) + ", the base has " + brief(there);
  }
  return "";
}

}  // namespace

std::string difference_of_machines(const std::string& base, const std::string& next) {
  return first_difference(base, next, kMachine);
}

std::string difference_of_builds(const std::string& base, const std::string& next) {
  return first_difference(base, next, kBuild);
}

std::string difference_of_revisions(const std::string& base, const std::string& next) {
  return first_difference(base, next, kRevision);
}

}  // namespace gdbench::compare
