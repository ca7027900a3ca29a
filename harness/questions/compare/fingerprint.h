// Whether two reports come from machines whose times can be compared.
#pragma once

#include <span>
#include <string>

namespace gdbench::compare {

// Parts of an environment (harness/machine/environment.h), as JSON pointers. What times depend on: not the load or the
// frequency of the moment, which differ from run to run, nor memory_bytes, which a hypervisor changes.
inline constexpr const char* kMachine[] = {"/cpu/model",
                                           "/cpu/vendor",
                                           "/cpu/features",
                                           "/cpu/caches",
                                           "/cpu/logical_processors",
                                           "/cpu/allowed_processors",
                                           "/cpu/governor",
                                           "/kernel",
                                           "/virtual_machine"};
// What the build can be blamed for. Builds may differ, that is what is compared; a reader should know.
inline constexpr const char* kBuild[] = {"/build/compiler", "/build/flags", "/build/type", "/libraries"};
// The sources that were built.
inline constexpr const char* kRevision[] = {"/build/git_revision", "/build/git_dirty"};

// The first of these that is not the same in two environments, JSON text: "cpu/model: found \"A\", the base has \"B\"".
// Empty where all of them are.
std::string first_difference(std::span<const char* const> parts, const std::string& base, const std::string& next);

}  // namespace gdbench::compare
