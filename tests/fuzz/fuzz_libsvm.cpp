// LIBSVM files; the first byte says what the loss takes.
#include "harness/data/libsvm.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(libsvm) {
  if (size == 0) return 0;
  const gdbench::fuzz::InputFile file(data + 1, size - 1);
  static_cast<void>(gdbench::data::read_libsvm(file.path(), static_cast<gdbench::catalogue::Targets>(data[0] % 3)));
  return 0;
}
