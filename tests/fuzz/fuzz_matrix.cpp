// Matrix files, expanded over a few names.
#include "harness/scenario/expand.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(matrix) {
  const gdbench::fuzz::InputFile file(data, size);
  const auto matrix = gdbench::scenario::read_matrix(file.path());
  if (!matrix.ok()) return 0;
  const std::vector<gdbench::scenario::KnownScenario> scenarios = {{"linreg-3x2", "a.json"}, {"mlp-10-50-1", "b.json"}};
  const std::vector<gdbench::scenario::KnownImplementation> implementations = {
      {"hand/eigen"}, {"graph/jit"}, {"hand/onednn+mpi", true}};
  gdbench::scenario::Selection selection;
  selection.processors = 4;
  static_cast<void>(gdbench::scenario::expand(*matrix, selection, scenarios, implementations));
  return 0;
}
