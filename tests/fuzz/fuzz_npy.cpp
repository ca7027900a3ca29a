// NPY files, as features and as targets or labels of each other.
#include "harness/data/npy.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(npy) {
  const gdbench::fuzz::InputFile file(data, size);
  for (const bool labels : {false, true}) {
    static_cast<void>(gdbench::data::read_npy(file.path(), file.path(), labels));
  }
  return 0;
}
