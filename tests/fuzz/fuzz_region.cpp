// Training steps that the backend jit compiles: a network by the bytes of an input, which is trained as the
// reference trains it. Compiling takes most of the time, by far, so networks are small.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/random_network.h"

namespace {

// A byte for each choice, two where there are more than 256; zeros where they end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

  std::size_t operator()(std::size_t count) {
    const std::size_t low = byte();
    return (count > 256 ? low + 256 * byte() : low) % count;
  }

 private:
  std::size_t byte() { return next_ == end_ ? 0 : *next_++; }

  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

std::vector<const char*> instructions() {
  GTEST_FLAG_SET(throw_on_failure, true);  // of what the tests' own helpers expect, outside of any test
  return gdbench::backends::jit::instructions_of_this_machine();
}

}  // namespace

GDBENCH_FUZZ_TARGET(region) {
  using namespace gdbench;
  static const std::vector<const char*> names = instructions();
  Choices choices(data, size);
  strategies::NetworkBounds bounds;
  bounds.dtype = choices(2) == 0 ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
  bounds.most_work = 2e5;
  bounds.most_programs = 4;
  const strategies::RandomNetwork network = strategies::random_network(std::ref(choices), bounds, names);
  const strategies::Comparison compared = strategies::compared_with_reference(network);
  if (compared.difference.empty()) return 0;
  std::cerr << "SUMMARY: " << strategies::text_of(network) << ": " << compared.difference << std::endl;
  std::abort();
}
