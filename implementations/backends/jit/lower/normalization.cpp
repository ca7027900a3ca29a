#include "implementations/backends/jit/lower/normalization.h"

#include <algorithm>
#include <vector>

#include "implementations/backends/jit/lower/reductions.h"

namespace gdbench::backends::jit {
namespace {

// A row after the other, or a vector of rows after the other where those lie side by side.
class Normalization {
 public:
  Normalization(Context& context, GroupWriter& writer)
      : context_(context),
        builder_(context.builder),
        writer_(writer),
        z_(context.place(writer.root().operands[0])),
        along_rows_(z_.rows_side_by_side()),
        lanes_(context.lanes()) {}

  void run() {
    if (along_rows_) {
      context_.for_each_vector({0, z_.rows}, [&](const Affine& row, int active) { normalize(row, active); });
    } else {
      builder_.loop(0, z_.rows, 1, [&](const Affine& row) { normalize(row, 1); });
    }
  }

 private:
  void normalize(const Affine& row, int rows) {
    const auto z = [&](const Position& at) { return load(z_, at); };
    const Register mean = means<1>(row, rows, [&](const Position& at, Register* terms) { terms[0] = z(at); })[0];
    const Register variance = means<1>(row, rows, [&](const Position& at, Register* terms) {
      const Register difference = builder_.subtract(z(at), mean);
      terms[0] = builder_.multiply(difference, difference);
    })[0];
    const Register factor = normalizing_factor(context_, variance);
    if (writer_.root().op() == Op::normalize) {
      for_each_vector(row, rows, [&](const Position& at) {
        writer_.finish(at, builder_.multiply(builder_.subtract(z(at), mean), factor));
      });
      return;
    }
    // factor (d - mean(d) - n mean(d n))
    const Matrix d = context_.place(writer_.root().operands[1]);
    const std::vector<Register> of_d = means<2>(row, rows, [&](const Position& at, Register* terms) {
      terms[0] = load(d, at);
      terms[1] = builder_.multiply(terms[0], builder_.subtract(z(at), mean));
    });
    const Register correlation = builder_.multiply(of_d[1], builder_.multiply(factor, factor));
    for_each_vector(row, rows, [&](const Position& at) {
      const Register along_n = builder_.multiply(builder_.subtract(z(at), mean), correlation);
      const Register rest = builder_.subtract(builder_.subtract(load(d, at), of_d[0]), along_n);
      writer_.finish(at, builder_.multiply(rest, factor));
    });
  }

  Position position(const Affine& row, int rows, const Affine& column, int columns) const {
    return {row, column, along_rows_, lanes_, along_rows_ ? rows : columns};
  }

  template <class Body>
  void for_each_vector(const Affine& row, int rows, const Body& body) {
    if (along_rows_) {
      builder_.loop(0, z_.columns, 1, [&](const Affine& column) { body(position(row, rows, column, 1)); });
    } else {
      context_.for_each_vector({0, z_.columns},
                               [&](const Affine& column, int columns) { body(position(row, rows, column, columns)); });
    }
  }

  // Of the terms that set_terms(position, terms) sets, over each row's columns; in all lanes.
  template <int count, class SetTerms>
  std::vector<Register> means(const Affine& row, int rows, const SetTerms& set_terms) {
    SumChains sums(context_, count, z_.columns, along_rows_ ? 1 : lanes_);
    sums.for_each_unit([&](std::int64_t chain, const Affine& column, int columns) {
      Register terms[count];
      set_terms(position(row, rows, column, columns), terms);
      for (int i = 0; i < count; ++i) {
        const VariableId sum = sums.at(chain, i);
        builder_.set(sum, builder_.add(builder_.get(sum), along_rows_ ? terms[i] : of_columns(terms[i], columns)));
      }
    });
    std::vector<Register> means = sums.totals();
    const Register share = context_.real_number(1 / static_cast<double>(z_.columns), lanes_);
    for (Register& mean : means) {
      if (!along_rows_) mean = builder_.splat(sums_of_lanes(builder_, {mean}), lanes_);
      mean = builder_.multiply(mean, share);
    }
    return means;
  }

  // 0 beyond the row's end.
  Register of_columns(Register values, int columns) {
    if (columns == lanes_) return values;
    std::vector<double> within(static_cast<std::size_t>(lanes_), 0.0);
    std::fill_n(within.begin(), columns, 1.0);
    return builder_.select(builder_.constant(Scalar::boolean, std::move(within)), values,
                           context_.real_number(0, lanes_));
  }

  Register load(const Matrix& matrix, const Position& at) {
    return builder_.load(matrix.at(at.row, at.column), lanes_, at.lanes_of(matrix));
  }

  Context& context_;
  Builder& builder_;
  GroupWriter& writer_;
  const Matrix z_;
  bool along_rows_;
  int lanes_;
};

}  // namespace

void lower_normalization(Context& context, GroupWriter& writer) { Normalization(context, writer).run(); }

Register normalizing_factor(Context& context, Register variance) {
  Builder& builder = context.builder;
  const int lanes = builder.type_of(variance).lanes;
  const Register sum = builder.add(variance, context.real_number(GDBENCH_LAYER_NORM_EPSILON, lanes));
  return builder.divide(context.real_number(1, lanes), builder.square_root(sum));
}

}  // namespace gdbench::backends::jit
