// A step entry by entry: every entry of every matrix is a register, a scalar or, for a batch whose rows are lanes, a
// vector of rows. What tiny models (scalars.h) and narrow ones (stream.h) are made of.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Products and addends that are not added up yet: what comes to them later joins the same chain of additions.
struct Sum {
  std::vector<std::pair<Register, Register>> products;
  std::vector<Register> addends;
};

// A matrix's entries, of which `scale` is a factor that nobody multiplied by yet: a mean's 1 / rows, for one, is
// multiplied into the learning rate in the end.
struct Entries {
  std::vector<Sum> sums;
  double scale = 1;

  void add(Register entry) { sums.push_back({{}, {entry}}); }
};

// Of additions that wait for each other, of which a sum is made.
enum class Chains : std::uint8_t {
  brief,  // the last addition need not wait long, at the price of more additions
  few,    // other work hides the waiting, unless they get long
};

class EntryLowering {
 public:
  // `lanes` of each entry.
  EntryLowering(Context& context, int lanes, Chains chains);

  // Parameters and slots into variables, before the first step; from there, at the start of each; and back to memory.
  void load_state();
  void read_state();
  void store_state();

  Entries& operator[](ValueId value) { return values_[value]; }
  // An entry without its matrix's scale, and with it.
  Register raw(ValueId value, std::size_t index);
  Register entry(ValueId value, std::size_t index);

  // The node's result from its operands' entries; updates set the variables of the state.
  void lower(const Node& node);

 private:
  std::size_t size_of(ValueId value) const {
    return static_cast<std::size_t>(region_[value].rows * region_[value].columns);
  }
  Register number(double value) { return context_.real_number(value, lanes_); }
  Register added_up(const Sum& sum);
  bool is_read_once(ValueId value) const;
  bool is_open(ValueId value) const;
  Register factor(ValueId value, bool transposed, std::int64_t row, std::int64_t column);

  void product(const Node& node);
  void add_operand(const Node& node);
  void add_bias(const Node& node);
  void error(const Node& node);
  void activation_gradient(const Node& node);
  void column_sum(const Node& node);
  void softmax_gradient(const Node& node);
  void elementwise(const Node& node);
  void update(const Node& node);
  void descend(const Node& node);

  Context& context_;
  Builder& builder_;
  const Region& region_;
  int lanes_;
  Chains chains_;
  std::map<ValueId, std::vector<VariableId>> state_;  // parameters and slots
  std::map<ValueId, Entries> values_;
};

// Where entry `index` of a matrix lies, counted row by row.
Address entry_address(const Matrix& matrix, std::size_t index);

}  // namespace gdbench::backends::jit
