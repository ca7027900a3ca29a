#include "harness/questions/compare/fingerprint.h"

#include <array>
#include <span>

#include "harness/base/json_reader.h"

namespace gdbench::compare {

namespace {

using nlohmann::json;

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

json value_at(const json& environment, const char* path) {
  const json::json_pointer pointer(path);
  return environment.contains(pointer) ? environment[pointer] : json();
}

std::string first_difference(const std::string& base, const std::string& next, std::span<const char* const> paths) {
  constexpr std::size_t kLongest = 60;
  const auto brief = [](const json& value) {
    const std::string text = compact(value);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  const json base_environment = json::parse(base);
  const json next_environment = json::parse(next);
  for (const char* path : paths) {
    const json here = value_at(next_environment, path);
    const json there = value_at(base_environment, path);
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
