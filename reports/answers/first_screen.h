// A report on one screen.
#pragma once

#include <string>

#include "harness/report/report.h"
#include "reports/answers/console.h"

namespace gdbench::answers {

// What was measured, one grid of all scenarios and the sentences that matter: at most 39 lines in any width from 60 on.
std::string first_screen(const report::Report& report, const ConsoleOptions& options);

}  // namespace gdbench::answers
