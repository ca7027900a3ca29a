// Ops with operands, and what they write, as plain loops for products and otherwise naive kernels in double tell it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {

// What an operand's buffer holds: elements of the dtype, int32 or uint32, doubles for any dtype, or what is not 0
// in compressed sparse rows.
enum class Content { elements, whole_numbers, doubles, sparse };

struct TestOperand {
  Dense values;
  Content content = Content::elements;
};

// Learning rate, factors of Adam's moments and of Nadam's gradient, as an operand.
TestOperand update_scalars(double learning_rate, double first = 1, double second_root = 1, double gradient = 0);

struct OpCase {
  Request request;  // without dtype and operands, which the values tell
  std::vector<TestOperand> operands;
  std::vector<std::size_t> results;                 // which operands it writes
  double scale = 1;                                 // of expect_close
  std::map<std::size_t, std::size_t> aliases = {};  // a result -> the operand whose buffer it has
};
std::string text_of(const OpCase& op);

Request request_of(const OpCase& op, catalogue::Dtype dtype);

// What the backend writes, one matrix for each of the results.
std::vector<Dense> results_of(TestContext& context, const OpCase& op);

// What the op as it is defined writes. Of a mixed dtype's, operands of products, sums and derivatives are rounded.
std::vector<Dense> expected_of(const OpCase& op, catalogue::Dtype dtype = catalogue::Dtype::f64);

void expect_results(const OpCase& op, catalogue::Dtype dtype, const std::vector<Dense>& found,
                    const std::vector<Dense>& expected);

// The nearest number of so many significant bits; rint takes the even one of two.
double rounded_to_bits(double value, int bits);

}  // namespace gdbench::backends
