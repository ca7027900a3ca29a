// Archives of NPY files.
#include "harness/data/zip.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(npz) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(gdbench::data::zip_member("a.npz", bytes, "x.npy"));
  return 0;
}
