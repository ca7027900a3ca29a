// Scenario files; what is read is resolved, named and described as a run does it.
#include "harness/scenario/scenario.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(scenario) {
  const gdbench::fuzz::InputFile file(data, size);
  const auto scenario = gdbench::scenario::read_scenario(file.path(), {});
  if (scenario.ok() && scenario->identity().empty()) std::abort();
  return 0;
}
