// Descriptions of trainings that `explain --check-comparison` compares.
#include "harness/questions/fairness/description.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(description) {
  const gdbench::fuzz::InputFile file(data, size);
  static_cast<void>(gdbench::fairness::read_description(file.path()));
  return 0;
}
