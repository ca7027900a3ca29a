// Values of the command line that several commands take. Errors are one line that names the option.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace gdbench::app {

// "90", "90s", "2m", "1h" in seconds.
Result<double> parse_seconds(const std::string& option, const std::string& text);

// "1%" or "0.01" as a fraction.
Result<double> parse_share(const std::string& option, const std::string& text);

}  // namespace gdbench::app
