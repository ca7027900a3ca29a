// Whether two reports come from machines whose times can be compared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gdbench::compare {

// The first thing that is not the same in two environments (harness/machine/environment.h) and that times depend on:
// "cpu/model: found \"A\", the base has \"B\"". Empty where all of it is.
std::string difference_of_machines(const nlohmann::json& base, const nlohmann::json& next);

// Likewise of what the build can be blamed for: compiler, flags, libraries. Builds may differ, that is what is
// compared; a reader should know.
std::string difference_of_builds(const nlohmann::json& base, const nlohmann::json& next);

// Likewise of the sources that were built.
std::string difference_of_revisions(const nlohmann::json& base, const nlohmann::json& next);

}  // namespace gdbench::compare
