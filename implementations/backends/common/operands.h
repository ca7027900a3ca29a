// What each operand of a request has to be and what its op does with it: one row for each, in the order of ops.h. The
// rows check shapes, verify graphs, count a profile's bytes, and say which operands dtypes round.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "implementations/backends/common/ops.h"

namespace gdbench::backends {

// What entries are: of the request's dtype, int32, uint32, a double, UpdateScalars.
enum class Element : std::uint8_t { real, label, index, loss, scalars };
std::size_t size_of(Element element, Dtype dtype);  // bytes

// Updated: read and written. Unread: any buffer of the shape will do.
enum class Use : std::uint8_t { read, written, updated, unread };

struct OperandRow {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Use use = Use::read;
  Element element = Element::real;
  bool rounded = false;  // by a dtype whose products multiply numbers of fewer bits
};

// Shapes follow from those of the operands that are not `written`; all else from the op and its attributes.
std::vector<OperandRow> operands_of(const Request& request);

// The operand that holds the result: what is written or, where nothing is, what is updated first.
std::size_t result_of(const std::vector<OperandRow>& operands);

// Empty where the operands have the rows' shapes and the attributes exclude none of one another; otherwise one line
// that says what does not fit.
std::string shape_error(const Request& request);

// Slots of the request's optimizer; 0 without one.
std::size_t slots_of(const Request& request);

// m, n, k of a product: C[m,n] = op(A)[m,k] op(B)[k,n].
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};
ProductShape product_shape(const Request& request);

}  // namespace gdbench::backends
