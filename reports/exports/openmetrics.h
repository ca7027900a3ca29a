// For Prometheus and other readers of OpenMetrics 1.0: the textfile collector of node_exporter, a Pushgateway.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// Gauges: a step's time with its interval, the first step, what comes before it, and memory of each cell, in seconds
// and bytes; how many cells have which state; and when, where and of which commit the run is. As Prometheus's own older
// format has no type `info`, gdbench_run_info is a gauge of 1, so that parsers of both formats read the text.
std::string openmetrics(const report::Report& report);

}  // namespace gdbench::exports
