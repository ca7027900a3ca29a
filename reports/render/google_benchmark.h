// A report as Google Benchmark writes its own.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::render {

// The JSON of --benchmark_format=json: one entry per sample and the aggregates mean, median, stddev and cv, so that
// Google Benchmark's compare.py reads it.
std::string google_benchmark(const report::Report& report);

}  // namespace gdbench::render
