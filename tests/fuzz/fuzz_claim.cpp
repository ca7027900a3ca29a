// Claim files, expanded over the scenarios of the project.
#include "harness/questions/claims/claim.h"
#include "harness/questions/claims/expand.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(claim) {
  const gdbench::fuzz::InputFile file(data, size);
  const auto claim = gdbench::claims::read_claim(file.path());
  if (!claim.ok()) return 0;
  static const auto scenarios = gdbench::scenario::list_scenarios({GDBENCH_SOURCE_DIR "/scenarios"});
  static_cast<void>(gdbench::claims::expand(*claim, scenarios.value(), {{.id = "hand/eigen"}, {.id = "tape/eigen"}}));
  return 0;
}
