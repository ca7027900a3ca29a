// What computed the rows of a report: versions, compilers, libraries.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::answers {

// "CPython 3.11.2, numpy 2.4.6; build BLAS openblas 0.3.31; threads 1": what a worker says of itself.
std::string build_text(const report::Cell& cell);

// "CPython 3.11.2" and "numpy 2.4.6": the parts of what the worker's build is called.
std::vector<std::string> build_parts(const report::Cell& cell);

// A sentence for each build that has timed rows: "Build of numpy/vectorised: CPython 3.11.2, numpy 2.4.6.".
std::vector<std::string> build_words(const report::Report& report);

// Each program and package that a build names as "NAME VERSION", once: "CPython 3.11.2, torch 2.15.0". Empty where all
// rows are compiled.
std::string versions_words(const report::Report& report);

}  // namespace gdbench::answers
