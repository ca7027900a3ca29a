#include "implementations/backends/jit/lower/entry_lowering.h"

#include <algorithm>
#include <optional>
#include <span>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/jit/loops/functions.h"
#include "implementations/backends/jit/lower/entries.h"
#include "implementations/backends/jit/lower/normalization.h"
#include "implementations/backends/jit/lower/update.h"

namespace gdbench::backends::jit {

namespace {

// Brief ones are as many as shorten the wait for the last of them: a sum of three is mul, fma next to mul, and add,
// which no processor does later than mul, fma, fma. Few are long enough to be cheap, and short enough for a processor
// to see beyond them what it can do meanwhile.
std::size_t number_of_chains(std::size_t terms, Chains chains) {
  const bool brief = chains == Chains::brief;
  if (terms > (brief ? 10U : 12U)) return 4;
  return terms > (brief ? 2U : 6U) ? 2 : 1;
}

// Where entry `index` of a matrix lies, counted row by row.
Address entry_address(const Matrix& matrix, std::size_t index) {
  const auto at = static_cast<std::int64_t>(index);
  return matrix.at(at / matrix.columns, at % matrix.columns);
}

}  // namespace

EntryLowering::EntryLowering(Context& context, int lanes, Chains chains)
    : context_(context), builder_(context.builder), region_(context.region), lanes_(lanes), chains_(chains) {}

void EntryLowering::load_state() {
  for (ValueId value = 0; value < region_.values.size(); ++value) {
    if (!region_[value].is_state()) continue;
    std::vector<VariableId>& variables = state_[value];
    for (std::size_t i = 0; i < size_of(value); ++i) {
      variables.push_back(builder_.variable({context_.real(), 1}));
      builder_.set(variables.back(), builder_.load(entry_address(context_.place(value), i), 1));
    }
  }
}

void EntryLowering::read_state() {
  for (const auto& [value, variables] : state_) {
    Entries entries;
    for (const VariableId variable : variables) entries.add(builder_.get(variable));
    values_[value] = std::move(entries);
  }
  for (ValueId value = 0; value < region_.values.size(); ++value) {
    if (!region_[value].is_rounded_parameter()) continue;
    Entries entries;
    for (const VariableId variable : state_.at(region_.unrounded(value))) {
      entries.add(builder_.narrow(builder_.get(variable)));
    }
    values_[value] = std::move(entries);
  }
}

void EntryLowering::store_state() {
  for (const auto& [value, variables] : state_) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      builder_.store(entry_address(context_.place(value), i), builder_.get(variables[i]));
    }
  }
}

Register EntryLowering::added_up(const Sum& sum) {
  if (sum.products.empty() && sum.addends.size() == 1) return sum.addends[0];
  const std::size_t terms = sum.products.size() + sum.addends.size();
  const std::size_t count = number_of_chains(terms, chains_);
  std::vector<std::optional<Register>> chains(count);
  std::size_t next = 0;
  for (const Register addend : sum.addends) {
    std::optional<Register>& chain = chains[next++ % count];
    chain = chain ? builder_.add(*chain, addend) : addend;
  }
  for (const auto& [a, b] : sum.products) {
    std::optional<Register>& chain = chains[next++ % count];
    chain = chain ? builder_.multiply_add(a, b, *chain) : builder_.multiply(a, b);
  }
  Register total = *chains[0];
  for (std::size_t i = 1; i < count; ++i) {
    if (chains[i]) total = builder_.add(total, *chains[i]);
  }
  return total;
}

// Added up once.
Register EntryLowering::raw(ValueId value, std::size_t index) {
  Sum& sum = values_.at(value).sums[index];
  const Register total = added_up(sum);
  sum = {{}, {total}};
  return total;
}
Register EntryLowering::entry(ValueId value, std::size_t index) {
  const double scale = values_.at(value).scale;
  const Register unscaled = raw(value, index);
  return scale == 1 ? unscaled : builder_.multiply(unscaled, number(scale));
}

bool EntryLowering::is_read_once(ValueId value) const {
  std::size_t count = 0;
  for (const Node& node : region_.nodes) count += static_cast<std::size_t>(std::ranges::count(node.operands, value));
  return count == 1;
}
// Whether more can be added to a value that no other node reads.
bool EntryLowering::is_open(ValueId value) const {
  return region_.producer(value) && values_.at(value).scale == 1 && is_read_once(value);
}

void EntryLowering::lower(const Node& node) {
  if (node.op() == Op::update) return update(node);
  values_[node.result] = result_of(node);
}

Entries EntryLowering::result_of(const Node& node) {
  switch (node.op()) {
    case Op::product:
      return product(node);
    case Op::add_bias:
      if (is_open(node.operands[1])) return add_bias(node);
      break;
    case Op::activation_gradient:
      return activation_gradient(node);
    case Op::loss_gradient:
      if (!is_elementwise(node)) return softmax_gradient(node);
      if (is_squared_error(node.request.loss) && is_open(node.operands[0])) return error(node);
      break;
    case Op::column_sum:
      return column_sum(node);
    case Op::normalize:
    case Op::normalize_gradient:
      return normalization(node);
    default:
      break;
  }
  return elementwise(node);
}

// Entry (row, column) of a matrix or its transpose.
Register EntryLowering::factor(ValueId value, bool transposed, std::int64_t row, std::int64_t column) {
  if (transposed) std::swap(row, column);
  return raw(value, static_cast<std::size_t>(row * region_[value].columns + column));
}

Entries EntryLowering::product(const Node& node) {
  const Request& request = node.request;
  const RegionValue& a = region_[node.operands[0]];
  const RegionValue& result = region_[node.result];
  const std::int64_t inner = request.transpose_a ? a.rows : a.columns;
  Entries entries;
  entries.scale = request.alpha * values_.at(node.operands[0]).scale * values_.at(node.operands[1]).scale;
  for (std::int64_t i = 0; i < result.rows; ++i) {
    for (std::int64_t j = 0; j < result.columns; ++j) {
      Sum sum;
      for (std::int64_t k = 0; k < inner; ++k) {
        sum.products.emplace_back(factor(node.operands[0], request.transpose_a, i, k),
                                  factor(node.operands[1], request.transpose_b, k, j));
      }
      entries.sums.push_back(std::move(sum));
    }
  }
  if (request.beta != 0) add_operand(node, entries);
  return entries;
}

// beta C0 to a product, whose scale is multiplied in.
void EntryLowering::add_operand(const Node& node, Entries& product) {
  const bool joins = node.request.beta == 1 && product.scale == 1;
  for (std::size_t i = 0; i < product.sums.size(); ++i) {
    Sum& sum = product.sums[i];
    const Register before = entry(node.operands[2], i);
    if (joins) {
      sum.addends.push_back(before);
      continue;
    }
    const Register total = added_up(sum);
    const Register scaled = product.scale == 1 ? total : builder_.multiply(total, number(product.scale));
    sum = {{}, {builder_.multiply_add(number(node.request.beta), before, scaled)}};
  }
  product.scale = 1;
}

Entries EntryLowering::add_bias(const Node& node) {
  Entries entries = values_.at(node.operands[1]);
  const auto columns = static_cast<std::size_t>(region_[node.result].columns);
  for (std::size_t i = 0; i < entries.sums.size(); ++i) {
    entries.sums[i].addends.push_back(entry(node.operands[0], i % columns));
  }
  return entries;
}

// P - Y; what it is multiplied by becomes its scale.
Entries EntryLowering::error(const Node& node) {
  Entries entries = values_.at(node.operands[0]);
  for (std::size_t i = 0; i < entries.sums.size(); ++i) {
    entries.sums[i].addends.push_back(builder_.negate(entry(node.operands[1], i)));
  }
  entries.scale = node.request.alpha * loss_scale(node.request);
  return entries;
}

Entries EntryLowering::activation_gradient(const Node& node) {
  Entries entries;
  entries.scale = values_.at(node.operands[1]).scale;
  for (std::size_t i = 0; i < size_of(node.result); ++i) {
    const Register operands[] = {entry(node.operands[0], i), raw(node.operands[1], i)};
    entries.add(entry_of(context_, node, operands));
  }
  return entries;
}

Entries EntryLowering::column_sum(const Node& node) {
  const RegionValue& operand = region_[node.operands[0]];
  Entries entries;
  entries.scale = values_.at(node.operands[0]).scale;
  for (std::int64_t column = 0; column < operand.columns; ++column) {
    Sum sum;
    for (std::int64_t row = 0; row < operand.rows; ++row) {
      sum.addends.push_back(raw(node.operands[0], static_cast<std::size_t>(row * operand.columns + column)));
    }
    entries.sums.push_back(std::move(sum));
  }
  return entries;
}

Entries EntryLowering::softmax_gradient(const Node& node) {
  const RegionValue& outputs = region_[node.result];
  Entries entries;
  entries.scale = node.request.alpha * loss_scale(node.request);
  for (std::int64_t row = 0; row < outputs.rows; ++row) {
    std::vector<Register> values;
    for (std::int64_t column = 0; column < outputs.columns; ++column) {
      values.push_back(entry(node.operands[0], static_cast<std::size_t>(row * outputs.columns + column)));
    }
    Register greatest = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) greatest = builder_.maximum(greatest, values[i]);
    Sum sum;
    for (Register& value : values) {
      value = exponential(builder_, builder_.subtract(value, greatest));
      sum.addends.push_back(value);
    }
    const Register total = added_up(sum);
    const Register label = raw(node.operands[1], static_cast<std::size_t>(row));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Register probability = builder_.divide(values[i], total);
      const Register is_label = builder_.equal(label, builder_.constant({Scalar::i32, lanes_}, static_cast<double>(i)));
      const Register less = builder_.subtract(probability, number(1));
      entries.add(builder_.select(is_label, less, probability));
    }
  }
  return entries;
}

// Of n = (z - mean) factor, or factor (d - mean(d) - n mean(d n)).
Entries EntryLowering::normalization(const Node& node) {
  const RegionValue& result = region_[node.result];
  const auto columns = static_cast<std::size_t>(result.columns);
  const Register share = number(1 / static_cast<double>(columns));
  const auto mean_of = [&](Sum sum) { return builder_.multiply(added_up(sum), share); };
  Entries entries;
  for (std::size_t first = 0; first < size_of(node.result); first += columns) {
    std::vector<Register> normalized;
    for (std::size_t j = 0; j < columns; ++j) normalized.push_back(entry(node.operands[0], first + j));
    const Register mean = mean_of({{}, normalized});
    Sum squares;
    for (Register& value : normalized) {
      value = builder_.subtract(value, mean);
      squares.products.emplace_back(value, value);
    }
    const Register factor = normalizing_factor(context_, mean_of(squares));
    for (Register& value : normalized) value = builder_.multiply(value, factor);
    if (node.op() == Op::normalize) {
      for (const Register value : normalized) entries.add(value);
      continue;
    }
    Sum sum;
    Sum products;
    for (std::size_t j = 0; j < columns; ++j) {
      sum.addends.push_back(entry(node.operands[1], first + j));
      products.products.emplace_back(sum.addends[j], normalized[j]);
    }
    const Register mean_gradient = mean_of(sum);
    const Register correlation = mean_of(products);
    for (std::size_t j = 0; j < columns; ++j) {
      const Register rest = builder_.subtract(builder_.subtract(sum.addends[j], mean_gradient),
                                              builder_.multiply(normalized[j], correlation));
      entries.add(builder_.multiply(rest, factor));
    }
  }
  return entries;
}

Entries EntryLowering::elementwise(const Node& node) {
  Entries entries;
  const auto columns = static_cast<std::size_t>(region_[node.result].columns);
  for (std::size_t i = 0; i < size_of(node.result); ++i) {
    std::vector<Register> operands;
    for (const ValueId operand : node.operands) {
      operands.push_back(entry(operand, size_of(operand) == size_of(node.result) ? i : i % columns));
    }
    entries.add(entry_of(context_, node, operands));
  }
  return entries;
}

void EntryLowering::update(const Node& node) {
  const gdbench_optimizer* optimizer = node.request.optimizer;
  const bool descends = optimizer != nullptr && catalogue::kind_of(*optimizer) == OptimizerKind::sgd &&
                        decay_of(*optimizer) == Decay::none;
  if (descends) return descend(node);
  for (std::size_t i = 0; i < size_of(node.operands[0]); ++i) {
    update_entries(
        context_, node, [&](ValueId value) { return entry(value, i); },
        [&](ValueId value, Register entries) { builder_.set(state_.at(value)[i], entries); });
  }
}

// p - rate scale (a b + ...): -rate scale a is known before b, which depends on the parameters. The sum comes first
// and is added to the parameter last: with small learning rates each addition to a parameter loses most of its bits.
void EntryLowering::descend(const Node& node) {
  const Entries& gradient = values_.at(node.operands[0]);
  const Register factor = builder_.multiply(context_.factors->rate, number(-gradient.scale));
  std::map<Register, Register> scaled;
  const auto times_factor = [&](Register value) {
    const auto known = scaled.find(value);
    return known != scaled.end() ? known->second : scaled[value] = builder_.multiply(factor, value);
  };
  for (std::size_t i = 0; i < gradient.sums.size(); ++i) {
    Sum sum;
    for (const auto& [a, b] : gradient.sums[i].products) sum.products.emplace_back(times_factor(a), b);
    for (const Register addend : gradient.sums[i].addends) sum.products.emplace_back(factor, addend);
    const Register parameter = raw(node.operands[kUpdatedParameter], i);
    builder_.set(state_.at(node.operands[kUpdatedParameter])[i], builder_.add(parameter, added_up(sum)));
  }
}

std::int64_t scalar_size(const Region& region) {
  std::int64_t size = 0;
  for (const Node& node : region.nodes) {
    std::int64_t inner = 1;
    if (node.op() == Op::product) {
      const RegionValue& a = region[node.operands[0]];
      inner = node.request.transpose_a ? a.rows : a.columns;
    }
    if (node.op() == Op::column_sum) inner = region[node.operands[0]].rows;
    size += region[node.result].size() * inner;
  }
  return size;
}

void lower_to_scalars(Context& context) {
  const Region& region = context.region;
  EntryLowering entries(context, 1, Chains::brief);
  entries.load_state();
  // All steps of a call see one batch.
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (!region[value].is_batch() && !region[value].hoisted) continue;
    if (region.readers(value).empty()) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(region[value].size()); ++i) {
      const Register entry = context.builder.load(entry_address(context.place(value), i), 1);
      entries[value].add(region[value].rounded ? context.builder.narrow(entry) : entry);
    }
  }
  context.builder.steps([&](const Affine& step) {
    entries.read_state();
    load_factors(context, step);
    for (const Node& node : region.nodes) entries.lower(node);
  });
  entries.store_state();
}

}  // namespace gdbench::backends::jit
