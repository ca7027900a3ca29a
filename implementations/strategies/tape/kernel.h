// What a tape remembers of an op that it has run: the kernel that was bound for it, what the op table says of it, and
// how it is played backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "implementations/strategies/common/op_table.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/tape/buffer_pool.h"

namespace gdbench::strategies::tape {

// What of a value decides on kernels: its rows in the upper half and its columns in the lower one, at most kLargest of
// each, and in the highest bit of a half what its entries are.
using Form = std::uint64_t;
constexpr Form kNoForm = 0;              // no value, or one whose entries are gone
constexpr Form kLabels = Form{1} << 63;  // int32
constexpr Form kLoss = Form{1} << 31;    // a double for every dtype
constexpr std::int64_t kLargest = 1 << 30;

constexpr Form form_of(const ops::Shape& shape) {
  return static_cast<Form>(shape.rows) << 32 | static_cast<Form>(shape.columns);
}
constexpr ops::Shape shape_of(Form form) {
  return {static_cast<std::int64_t>(form >> 32 & INT32_MAX), static_cast<std::int64_t>(form & INT32_MAX)};
}

struct Derivative;

struct Kernel {
  // What it was bound for; the second form is kNoForm for an op of one operand.
  ops::Op op = ops::Op::product;
  ops::Attributes attributes;
  Form forms[2] = {kNoForm, kNoForm};

  bool serves(ops::Op other, const ops::Attributes& with, Form first, Form second) const {
    return other == op && first == forms[0] && second == forms[1] && with == attributes;
  }

  const backends::Call* call = nullptr;
  void (*run)(const backends::Call*, const backends::Buffer*, backends::Stream*) = nullptr;
  Form result = kNoForm;
  BufferPool::FreeList* results = nullptr;  // where the result's buffer comes from
  std::uint32_t operand_count = 0;          // one or two
  std::uint32_t result_place = 0;           // among the call's buffers
  bool overwrites = false;                  // the result's buffer is that of an operand
  std::uint32_t reusable = 0;               // bit i: the result may be put in operand i's buffer, if it is given up
  std::uint32_t differentiable = 0;         // as in ops::OpRow
  std::uint32_t marks[3] = {0, 0, 0};       // flags that recording sets: of the operands and of the result
  OpCost cost;
  std::unique_ptr<const Derivative> derivatives[4];  // by the operands that a gradient is wanted for; made when needed
};

// The kernels that the op table's rule takes for the derivative of an op on operands of given shapes. Values are
// identified by numbers: those below, and kFirstCall + i for the result of call i.
struct Derivative {
  static constexpr ops::Value kResult = 2, kGradient = 3, kFirstCall = 4;  // 0 and 1: the op's operands
  static constexpr ops::Value kMostValues = 12;

  struct Call {
    Kernel* kernel;
    ops::Value operands[2];
    int gradient_of;         // as in ops::Hint
    std::uint32_t reusable;  // bit i: the result may be put in operand i's buffer
  };
  std::vector<Call> calls;
  ops::Value gradients[2] = {ops::kNoValue, ops::kNoValue};  // with respect to the operands
  std::vector<ops::Value> temporaries;                       // results that are none
};

}  // namespace gdbench::strategies::tape
