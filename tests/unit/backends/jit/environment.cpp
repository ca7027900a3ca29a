#include <gtest/gtest.h>

#include "implementations/backends/jit/lower/target.h"

namespace gdbench::backends::jit {
namespace {

// Where there is no code for the processor, there is nothing to test. GoogleTest counts what an environment skips as
// passed; CTest knows it by these brackets.
class Processor : public testing::Environment {
 public:
  void SetUp() override {
    if (this_machine() == nullptr) GTEST_SKIP() << "[  SKIPPED ] needs a processor with AVX2 and FMA";
  }
};

const testing::Environment* const kProcessor = testing::AddGlobalTestEnvironment(new Processor);

}  // namespace
}  // namespace gdbench::backends::jit
