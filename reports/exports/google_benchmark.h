// For compare.py of Google Benchmark (1.7), and other readers of its JSON.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// The JSON of --benchmark_format=json: one entry per sample and the aggregates mean, median, stddev and cv, so that
// Google Benchmark's compare.py reads it.
std::string google_benchmark(const report::Report& report);

}  // namespace gdbench::exports
