// Reports with cells that scatter in a known way.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::compare {

// A cell of `launches` launches of six blocks, whose step takes `step_ns` times a scatter of about 1% that the seed
// and the launch alone decide: cells with one seed scatter alike, as neighbours do.
report::Cell cell_taking(const std::string& name, const std::string& arm, double step_ns, int launches = 40,
                         unsigned seed = 1);

// A summarised report of these cells, all of one scenario.
report::Report report_of(std::vector<report::Cell> cells);

}  // namespace gdbench::compare
