// IDX files; the input is cut into images and labels where its first two bytes say.
#include <algorithm>

#include "harness/data/idx.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(idx) {
  if (size < 2) return 0;
  const std::size_t cut = std::min<std::size_t>(2 + (data[0] | static_cast<std::size_t>(data[1]) << 8), size);
  const gdbench::fuzz::InputFile images(data + 2, cut - 2);
  const gdbench::fuzz::InputFile labels(data + cut, size - cut);
  static_cast<void>(gdbench::data::read_idx(images.path(), labels.path()));
  return 0;
}
