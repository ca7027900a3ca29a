// A step entry by entry: every entry of every matrix is a register, a scalar or, for a batch whose rows are lanes, a
// vector of rows. What tiny models are lowered to, and what narrow ones (stream.h) are made of.
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

// A matrix's entries, of which `scale` is a factor still to be multiplied by: a mean's 1 / rows, for one, is
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

  // Parameters and slots into variables, before the first step; from there, at the start of each, where parameters are
  // rounded, too; and back to memory.
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
  std::size_t size_of(ValueId value) const { return static_cast<std::size_t>(region_[value].size()); }
  Register number(double value) { return context_.real_number(value, lanes_); }
  Register added_up(const Sum& sum);
  bool is_read_once(ValueId value) const;
  bool is_open(ValueId value) const;
  Register factor(ValueId value, bool transposed, std::int64_t row, std::int64_t column);

  Entries result_of(const Node& node);
  Entries product(const Node& node);
  void add_operand(const Node& node, Entries& product);
  Entries add_bias(const Node& node);
  Entries error(const Node& node);
  Entries activation_gradient(const Node& node);
  Entries column_sum(const Node& node);
  Entries softmax_gradient(const Node& node);
  Entries normalization(const Node& node);
  Entries elementwise(const Node& node);
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

// Multiplications of a step's products, which is how many instructions its lowering to scalars has, roughly.
std::int64_t scalar_size(const Region& region);

// Writes all steps of a tiny model without loops: every entry of every matrix is a scalar, and parameters and slots
// stay in registers over all steps.
void lower_to_scalars(Context& context);

}  // namespace gdbench::backends::jit
