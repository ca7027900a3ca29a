// Names of the catalogue in a message.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/abi/catalogue.h"
#include "harness/base/result.h"

namespace gdbench::worker {

// The value that the member `key` names, which may be one of a newer minor version: unsupported, not a fault. Throws
// json::exception where there is no text.
template <catalogue::Catalogued Enum>
Result<Enum> catalogued(const nlohmann::json& object, const char* key) {
  const std::string text = object.at(key).get<std::string>();
  if (const std::optional<Enum> value = catalogue::find<Enum>(text)) return *value;
  return unsupported(std::string(key) + " \"" + text + "\" is unknown to this worker");
}

}  // namespace gdbench::worker
