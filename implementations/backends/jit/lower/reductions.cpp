#include "implementations/backends/jit/lower/reductions.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/jit/loops/functions.h"

namespace gdbench::backends::jit {
namespace {

// Sums of columns whose rows lie side by side, for up to as many columns as there are lanes.
Register sums_of_columns(Context& context, const Matrix& matrix, const Affine& column, std::int64_t columns) {
  Builder& builder = context.builder;
  SumChains sums(context, columns, matrix.rows, context.lanes());
  sums.for_each_unit([&](std::int64_t chain, const Affine& row, int active) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const VariableId sum = sums.at(chain, j);
      const Register entries = builder.load(matrix.at(row, column + Affine(j)), context.lanes(), active);
      builder.set(sum, builder.add(builder.get(sum), entries));
    }
  });
  return sums_of_lanes(builder, sums.totals());
}

// Of one vector of columns.
Register sum_of_rows(Context& context, const Matrix& matrix, const Affine& column, int active) {
  Builder& builder = context.builder;
  const int lanes = context.lanes();
  SumChains sums(context, 1, matrix.rows, 1);
  sums.for_each_unit([&](std::int64_t chain, const Affine& row, int /*rows*/) {
    const Register entries = builder.load(matrix.at(row, column), lanes, matrix.padded ? lanes : active);
    builder.set(sums.at(chain, 0), builder.add(builder.get(sums.at(chain, 0)), entries));
  });
  return sums.totals()[0];
}

// A group and the sums that it takes along.
class ColumnPass {
 public:
  ColumnPass(Context& context, const Group& group, const std::vector<Group>& sums)
      : context_(context), builder_(context.builder), writer_(context, group), group_(group) {
    for (const Group& sum : sums) sums_.emplace_back(context, sum);
  }

  void run() {
    context_.for_each_vector({0, group_.columns}, [&](const Affine& column, int active) { pass(column, active); });
  }

 private:
  // All rows of a vector of columns.
  void pass(const Affine& column, int active) {
    const int lanes = context_.lanes();
    const Register right = right_entries(column, active);
    SumChains chains(context_, static_cast<std::int64_t>(sums_.size()), group_.rows, 1);
    chains.for_each_unit([&](std::int64_t chain, const Affine& row, int /*rows*/) {
      const Position position{row, column, false, lanes, active};
      const Register entry = splat_of(writer_.root().operands[0], position);
      writer_.finish(position, scaled(writer_.root().request, builder_.multiply(entry, right)));
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        const VariableId sum = chains.at(chain, static_cast<std::int64_t>(i));
        builder_.set(sum, added(sums_[i].root(), position, entry, builder_.get(sum)));
      }
    });
    const std::vector<Register> totals = chains.totals();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Node& root = sums_[i].root();
      const bool column_sum = root.op() == Op::column_sum;
      const Position position =
          column_sum ? Position{0, column, false, lanes, active} : Position{column, 0, true, lanes, active};
      sums_[i].finish(position, scaled(root.request, totals[i]));
    }
  }

  // Of the row that the root's column is multiplied by.
  Register right_entries(const Affine& column, int active) {
    const Matrix& place = context_.place(writer_.root().operands[1]);
    const Matrix row = writer_.root().request.transpose_b ? place.transposed() : place;
    return builder_.load(row.at(0, column), context_.lanes(), row.padded ? context_.lanes() : active);
  }

  // `entry` of the root's column, in all lanes, is what most sums multiply by.
  Register added(const Node& sum, const Position& position, Register entry, Register before) {
    const Register entries = writer_.value_at(sum.operands[0], position);
    if (sum.op() == Op::column_sum) return builder_.add(before, entries);
    const bool same = sum.operands[1] == writer_.root().operands[0];
    const Register factor = same ? entry : splat_of(sum.operands[1], position);
    return builder_.multiply_add(entries, factor, before);
  }

  // The row's entry of a column.
  Register splat_of(ValueId column, const Position& position) {
    return builder_.splat(builder_.load(context_.place(column).at(position.row, 0), 1), position.lanes);
  }

  Register scaled(const Request& request, Register value) {
    const bool product = request.op == Op::product && request.alpha != 1;
    return product ? builder_.multiply(value, context_.real_number(request.alpha, context_.lanes())) : value;
  }

  Context& context_;
  Builder& builder_;
  GroupWriter writer_;
  const Group& group_;
  std::deque<GroupWriter> sums_;
};

class SoftmaxGradient {
 public:
  SoftmaxGradient(Context& context, GroupWriter& writer)
      : context_(context),
        builder_(context.builder),
        node_(writer.root()),
        writer_(writer),
        outputs_(context.place(node_.operands[0])),
        lanes_(context.lanes()),
        vectors_(rounded_up_quotient(outputs_.columns, lanes_)),
        last_active_(static_cast<int>(outputs_.columns - (vectors_ - 1) * lanes_)) {}

  // Rows of up to so many vectors stay in registers.
  static constexpr std::int64_t kMaxVectors = 8;

  void run() {
    if (outputs_.rows_side_by_side() && outputs_.columns > 1) return rows_in_lanes();
    builder_.loop(0, outputs_.rows, 1, [&](const Affine& row) {
      if (vectors_ <= kMaxVectors) {
        short_row(row);
      } else {
        long_row(row);
      }
    });
  }

 private:
  // A vector of rows after the other, with no sums of lanes.
  void rows_in_lanes() {
    constexpr std::int64_t kMaxInRegisters = 32;
    context_.for_each_vector({0, outputs_.rows}, [&](const Affine& row, int active) {
      if (outputs_.columns <= kMaxInRegisters) {
        rows_from(row, active);
      } else {
        long_rows_from(row, active);
      }
    });
  }

  // As long_row, a column after the other.
  void long_rows_from(const Affine& row, int active) {
    const VariableId greatest = builder_.variable({context_.real(), lanes_});
    const VariableId sum = builder_.variable({context_.real(), lanes_});
    builder_.set(greatest, context_.real_number(kLeast, lanes_));
    builder_.set(sum, context_.real_number(0, lanes_));
    const auto for_each_column = [&](const auto& body) { builder_.loop(0, outputs_.columns, 1, body); };
    const auto load = [&](const Matrix& matrix, const Affine& column) {
      return builder_.load(matrix.at(row, column), lanes_);
    };
    for_each_column([&](const Affine& column) {
      builder_.set(greatest, builder_.maximum(builder_.get(greatest), load(outputs_, column)));
    });
    const Register most = builder_.get(greatest);
    const Matrix result = result_place(true);
    for_each_column([&](const Affine& column) {
      const Register value = exponential(builder_, builder_.subtract(load(outputs_, column), most));
      builder_.set(sum, builder_.add(builder_.get(sum), value));
      builder_.store(result.at(row, column), value);
    });
    const Register factor = builder_.divide(scale(lanes_), builder_.get(sum));
    const Register labels = builder_.load(context_.place(node_.operands[1]).at(row, 0), lanes_, active);
    for_each_column([&](const Affine& column) {
      const Register value = builder_.multiply(load(result, column), factor);
      const Register is_label = builder_.equal(labels, builder_.splat(builder_.whole_numbers(column, 1), lanes_));
      const Register less = builder_.subtract(value, scale(lanes_));
      writer_.finish({row, column, true, lanes_, active}, builder_.select(is_label, less, value));
    });
  }

  // Where exponentials wait for their sum.
  Matrix result_place(bool rows_side_by_side) {
    if (!context_.has_place(node_.result)) {  // no other node reads it
      const RegionValue& shape = context_.region[node_.result];
      context_.place_at(node_.result, context_.allocate("softmax", shape.rows, shape.columns, rows_side_by_side));
    }
    return context_.place(node_.result);
  }

  void rows_from(const Affine& row, int active) {
    std::vector<Register> values;
    for (std::int64_t column = 0; column < outputs_.columns; ++column) {
      values.push_back(builder_.load(outputs_.at(row, column), lanes_));
    }
    const Register sum = exponentials(values, greatest_of(values));
    const Register factor = builder_.divide(scale(lanes_), sum);
    const Register labels = builder_.load(context_.place(node_.operands[1]).at(row, 0), lanes_, active);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const Register value = builder_.multiply(values[j], factor);
      const Register less = builder_.subtract(value, scale(lanes_));
      const Register is_label =
          builder_.equal(labels, builder_.constant({Scalar::i32, lanes_}, static_cast<double>(j)));
      writer_.finish({row, static_cast<std::int64_t>(j), true, lanes_, active}, builder_.select(is_label, less, value));
    }
  }

  void short_row(const Affine& row) {
    std::vector<Register> values;
    for (std::int64_t v = 0; v < vectors_; ++v) values.push_back(load(row, v * lanes_, active_of(v)));
    const Register greatest = builder_.splat(builder_.maximum_of_lanes(greatest_of(values)), lanes_);
    const Register factor = factor_of(exponentials(values, greatest));
    for (std::size_t v = 0; v < values.size(); ++v) {
      write(row, static_cast<std::int64_t>(v) * lanes_, active_of(static_cast<std::int64_t>(v)),
            builder_.multiply(values[v], factor));
    }
  }

  Register greatest_of(const std::vector<Register>& values) {
    Register greatest = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) greatest = builder_.maximum(greatest, values[i]);
    return greatest;
  }

  // Each value becomes e^(value - greatest). Returns their sum.
  Register exponentials(std::vector<Register>& values, Register greatest) {
    Register sum = 0;
    for (Register& value : values) {
      value = exponential(builder_, builder_.subtract(value, greatest));
      sum = &value == &values[0] ? value : builder_.add(sum, value);
    }
    return sum;
  }

  // Three times over the row: its greatest entry, the exponentials and their sum, the result.
  void long_row(const Affine& row) {
    const VariableId greatest = builder_.variable({context_.real(), lanes_});
    const VariableId sum = builder_.variable({context_.real(), lanes_});
    builder_.set(greatest, context_.real_number(kLeast, lanes_));
    builder_.set(sum, context_.real_number(0, lanes_));
    for_each_vector([&](const Affine& column, int active) {
      builder_.set(greatest, builder_.maximum(builder_.get(greatest), load(row, column, active)));
    });
    const Register most = builder_.splat(builder_.maximum_of_lanes(builder_.get(greatest)), lanes_);
    const Matrix result = result_place(false);
    for_each_vector([&](const Affine& column, int active) {
      const Register value = exponential(builder_, builder_.subtract(load(row, column, active), most));
      builder_.set(sum, builder_.add(builder_.get(sum), value));
      builder_.store(result.at(row, column), value);
    });
    const Register factor = factor_of(builder_.get(sum));
    for_each_vector([&](const Affine& column, int active) {
      write(row, column, active, builder_.multiply(builder_.load(result.at(row, column), lanes_), factor));
    });
  }

  template <class Body>
  void for_each_vector(const Body& body) {
    builder_.loop(0, (vectors_ - 1) * lanes_, lanes_, [&](const Affine& column) { body(column, lanes_); });
    body((vectors_ - 1) * lanes_, last_active_);
  }

  int active_of(std::int64_t vector) const { return vector + 1 == vectors_ ? last_active_ : lanes_; }

  // Less than any output that is finite; its exponential is 0.
  static constexpr double kLeast = -1e30;

  // The row's outputs, and in lanes beyond its end kLeast.
  Register load(const Affine& row, const Affine& column, int active) {
    const Register values = builder_.load(outputs_.at(row, column), lanes_, active);
    if (active == lanes_) return values;
    std::vector<double> beyond(static_cast<std::size_t>(lanes_), kLeast);
    std::fill_n(beyond.begin(), active, 0.0);
    return builder_.add(values, builder_.constant(context_.real(), std::move(beyond)));
  }

  Register scale(int lanes) const { return loss_factor(context_, node_, lanes); }

  // scale / sum
  Register factor_of(Register sum) {
    const Register total = sums_of_lanes(builder_, {sum});
    return builder_.splat(builder_.divide(scale(1), total), lanes_);
  }

  // Takes `scale` off the label's entry.
  void write(const Affine& row, const Affine& column, int active, Register values) {
    const Matrix& labels = context_.place(node_.operands[1]);
    const Register label = builder_.splat(builder_.load(labels.at(row, 0), 1), lanes_);
    const Register is_label = builder_.equal(builder_.whole_numbers(column, lanes_), label);
    const Register less = builder_.subtract(values, scale(lanes_));
    writer_.finish({row, column, false, lanes_, active}, builder_.select(is_label, less, values));
  }

  Context& context_;
  Builder& builder_;
  const Node& node_;
  GroupWriter& writer_;
  const Matrix outputs_;
  int lanes_;
  std::int64_t vectors_;
  int last_active_;
};

}  // namespace

void lower_column_sum(Context& context, GroupWriter& writer) {
  const Matrix matrix = context.place(writer.root().operands[0]);
  Builder& builder = context.builder;
  const int lanes = context.lanes();
  if (matrix.rows_side_by_side()) {
    const auto columns_from = [&](const Affine& column, std::int64_t columns) {
      const Register sums = sums_of_columns(context, matrix, column, columns);
      const bool along_rows = matrix.columns == 1;
      writer.finish({0, column, along_rows, builder.type_of(sums).lanes, static_cast<int>(columns), false}, sums);
    };
    const std::int64_t most = std::min<std::int64_t>(kChains, lanes);
    const std::int64_t blocks = matrix.columns / most * most;
    builder.loop(0, blocks, most, [&](const Affine& column) { columns_from(column, most); });
    if (blocks < matrix.columns) columns_from(blocks, matrix.columns - blocks);
    return;
  }
  context.for_each_vector({0, matrix.columns}, [&](const Affine& column, int active) {
    writer.finish({0, column, false, lanes, active}, sum_of_rows(context, matrix, column, active));
  });
}

void lower_with_sums(Context& context, const Group& group, const std::vector<Group>& sums) {
  ColumnPass(context, group, sums).run();
}

void lower_softmax_gradient(Context& context, GroupWriter& writer) { SoftmaxGradient(context, writer).run(); }

}  // namespace gdbench::backends::jit
