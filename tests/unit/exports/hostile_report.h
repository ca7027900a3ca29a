// Reports that no export expects.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::tests {

// Tags, quotes, marks of direction, control characters, bytes that are no UTF-8, and 10,000 characters.
inline const std::string kHostile = "<script>\"&'</script>]]>\\\u202e\x01\x1b\xff\r\n" + std::string(10'000, 'x');

// That text as every text that an implementation, a scenario or a machine may say.
report::Report hostile_report();

// Of the example, the cells without a time.
report::Report failed_report();

}  // namespace gdbench::tests
