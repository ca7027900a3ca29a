// A small history made by hand, with every kind of cell and an awkward revision in it. Its figures are invented.
#pragma once

#include "harness/report/history.h"

namespace gdbench::tests {

report::History example_history();

}  // namespace gdbench::tests
