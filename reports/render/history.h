// Renderer of a history.
#pragma once

#include <string>

#include "harness/report/history.h"

namespace gdbench::render {

// A row per cell with its first time, its level, the newest time and where its level changed; what there is to know of
// the reports; and whether the newest revision is slower, in words.
std::string history_table(const report::History& history);

}  // namespace gdbench::render
