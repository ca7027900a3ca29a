// The two kinds of JSON values: objects that sort their keys, and objects that keep the order of insertion. Sources
// that do more than name them include <nlohmann/json.hpp>, too.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace gdbench {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

}  // namespace gdbench
