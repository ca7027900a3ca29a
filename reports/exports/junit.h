// For the pages of tests that GitLab, Jenkins, Azure and others make: JUnit XML as the schema junit-10.xsd of Jenkins's
// xUnit plugin has it.
#pragma once

#include <string>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::exports {

// A suite is a scenario, and a test case a cell. Wrong is a failure; crashed, timed out and untrusted are errors;
// unsupported and pending are skipped. A case's time is its launches', in seconds; a step's is in its system-out.
std::string junit(const report::Report& report);

// Regressed is a failure, failing an error, removed is skipped, and all else passes, each with both times in its
// system-out. Where nothing is comparable, the one case is an error that says why.
std::string junit(const report::ReportComparison& comparison);

}  // namespace gdbench::exports
