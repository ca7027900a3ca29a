// Values of options whose type is switches: named parts of an implementation that are on or off.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/protocol/protocol.h"

namespace gdbench::measure {

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
