#pragma once

#include <nlohmann/json.hpp>

namespace gdbench::machine {

// The members "build" and "libraries" of environment(). Apart from it because its defines and the git revision change
// without the rest.
nlohmann::json build_information();
nlohmann::json library_versions();

}  // namespace gdbench::machine
