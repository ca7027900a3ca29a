// What other tools read of a report. An export is a function of a report and nothing else.
#pragma once

#include <string>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::exports {

// For Bencher (bencher.dev): `bencher run --adapter json --file FILE` reads the Bencher Metric Format, whose schema is
// https://bencher.dev/bmf.json. Of each cell the measure "latency", a step's time with its interval, and "first-step"
// and "ready", each in ns. A name of more than 1024 bytes is cut and ends in a hash of the whole.
std::string bencher(const report::Report& report);

// For benchmark-action/github-action-benchmark (version 1) with `tool: customSmallerIsBetter`. An entry for each cell:
// a step's time, always in ns because the action tells series apart by their names alone, its interval as `range`, and
// as `extra` launches and remarks. The action fails on a report without a timed cell.
std::string github_action(const report::Report& report);

// For compare.py of Google Benchmark (1.7), and other readers of its JSON: that of --benchmark_format=json, one entry
// per sample and the aggregates mean, median, stddev and cv.
std::string google_benchmark(const report::Report& report);

// For the pages of tests that GitLab, Jenkins, Azure and others make: JUnit XML as the schema junit-10.xsd of Jenkins's
// xUnit plugin has it. A suite is a scenario, and a test case a cell. Wrong is a failure; crashed, timed out and
// untrusted are errors; unsupported and pending are skipped. A case's time is its launches', in seconds; a step's is in
// its system-out.
std::string junit(const report::Report& report);
// Regressed is a failure, failing an error, removed is skipped, and all else passes, each with both times in its
// system-out. Where nothing is comparable, the one case is an error that says why.
std::string junit(const report::ReportComparison& comparison);

// For Prometheus and other readers of OpenMetrics 1.0: the textfile collector of node_exporter, a Pushgateway. Gauges:
// a step's time with its interval, the first step, what comes before it, and memory of each cell, in seconds and bytes;
// how many cells have which state; and when, where and of which commit the run is. As Prometheus's own older format has
// no type `info`, gdbench_run_info is a gauge of 1, so that parsers of both formats read the text.
std::string openmetrics(const report::Report& report);

// For pyperf (pyperf 2, file format 1.0): `python -m pyperf show FILE`, check, compare_to, stats, hist. A benchmark is
// a cell and a run a launch, because in both a run is a process. A run's values are the times of a step in seconds, one
// for each warm block; the cold block is its warm-up.
std::string pyperf(const report::Report& report);

// For R, pandas and spreadsheets: comma-separated values as in RFC 4180, with a line of names. One line for each sample
// of each cell, also of failed ones: what the cell is, then the sample's fields as report.json names them. Times are of
// one step, in nanoseconds.
std::string samples(const report::Report& report);

}  // namespace gdbench::exports
