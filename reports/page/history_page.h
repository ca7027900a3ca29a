// A history as one page: whether the newest revision is slower, where levels changed, and every time over the
// revisions.
#pragma once

#include <string>

#include "harness/report/history.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string history_page(const report::History& history);

}  // namespace gdbench::page
