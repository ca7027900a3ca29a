// For Bencher (bencher.dev): `bencher run --adapter json --file FILE` reads the Bencher Metric Format, whose schema is
// https://bencher.dev/bmf.json.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// Of each cell the measure "latency", a step's time with its interval, and "first-step" and "ready", each in ns. A name
// of more than 1024 bytes is cut and ends in a hash of the whole.
std::string bencher(const report::Report& report);

}  // namespace gdbench::exports
