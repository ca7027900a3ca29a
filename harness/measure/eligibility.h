// Whether an implementation can run a problem, and with which options, judged by what it says of itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/protocol/protocol.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// Why an implementation cannot run a problem; empty where it can.
std::string reason_unsupported(const protocol::ImplementationDescription& implementation,
                               const scenario::Problem& problem, bool shuffled, bool streamed, int threads);

// Where an implementation adds an optimizer's epsilon in a scenario that leaves it to each: what it declares, or
// outside.
catalogue::EpsilonPlace own_epsilon_place(const protocol::ImplementationDescription& implementation,
                                          catalogue::OptimizerKind optimizer);

// Options as declared, overridden by `wanted` (keys that the implementation does not declare are left out). Errors: a
// value that its declaration does not allow.
Result<std::map<std::string, std::string>> resolve_options(const protocol::ImplementationDescription& implementation,
                                                           const std::map<std::string, std::string>& wanted);

// Options whose type is switches: named parts of an implementation that are on or off.

// Whether each of option.choices is on under `value`: words separated by commas, applied in order, starting from all
// on: all, none, -NAME, +NAME. Nothing where a word is none of these.
std::optional<std::vector<bool>> parse_switches(const protocol::OptionDeclaration& option, const std::string& value);

// What the declaration says of one of its choices; empty where it says nothing.
std::string description_of_switch(const protocol::OptionDeclaration& option, const std::string& name);

// `value` with one more part switched off.
std::string without_switch(const std::string& value, const std::string& name);

// The first declared option of that type; null where there is none.
const protocol::OptionDeclaration* find_switches(const protocol::ImplementationDescription& implementation);

}  // namespace gdbench::measure
