// One report of several: the shards of a matrix that CI jobs or the nodes of a cluster ran.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::compare {

struct MergeInput {
  std::string name;  // for messages: the file
  report::Report report;
};

// Every cell once. Errors: reports of different matrices, seeds, machines or builds, and a cell that two of them have.
Result<report::Report> merge(std::vector<MergeInput> inputs);

// The reports of each kind of machine together, kinds and reports in the order in which they come.
std::vector<std::vector<MergeInput>> by_machine(std::vector<MergeInput> inputs);

}  // namespace gdbench::compare
