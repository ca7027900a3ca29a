#include "harness/compare/fingerprint.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

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
  return environment.is_object() && environment.contains(pointer) ? environment[pointer] : json();
}

std::string first_difference(const json& base, const json& next, std::span<const char* const> paths) {
  constexpr std::size_t kLongest = 60;
  const auto brief = [](const json& value) {
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  for (const char* path : paths) {
    const json here = value_at(next, path);
    const json there = value_at(base, path);
    if (here != there) return std::string(path + 1) + ": found " + brief(here) + ", the base has " + brief(there);
  }
  return "";
}

}  // namespace

std::string difference_of_machines(const json& base, const json& next) {
  return first_difference(base, next, kMachine);
}

std::string difference_of_builds(const json& base, const json& next) { return first_difference(base, next, kBuild); }

std::string difference_of_revisions(const json& base, const json& next) {
  return first_difference(base, next, kRevision);
}

}  // namespace gdbench::compare
