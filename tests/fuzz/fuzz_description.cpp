// Descriptions of trainings that `explain --check-comparison` compares.
#include "harness/questions/fairness/description.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gdbench::fuzz::InputFile file(data, size);
  static_cast<void>(gdbench::fairness::read_description(file.path()));
  return 0;
}
