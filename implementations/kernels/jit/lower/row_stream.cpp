#include "implementations/kernels/jit/lower/row_stream.h"

#include <algorithm>
#include <map>
#include <utility>

#include "implementations/kernels/jit/loops/lane_sums.h"
#include "implementations/kernels/jit/lower/entries.h"

namespace gdbench::kernels::jit {
namespace {

std::int64_t vectors_of(std::int64_t columns, int lanes) { return (columns + lanes - 1) / lanes; }

class Match {
 public:
  Match(const Region& region, const RowBlocks& blocks) : region_(region), blocks_(blocks) {}

  std::optional<RowStream> run() {
    RowStream stream;
    for (NodeIndex i = 0; i < blocks_.nodes; ++i) {
      if (!takes(stream, i)) return {};
    }
    return has_gradient_ ? std::optional(stream) : std::nullopt;
  }

 private:
  bool takes(RowStream& stream, NodeIndex index) {
    const Node& node = region_.nodes[index];
    const Request& request = node.request;
    if (index == 0) {
      stream.product = index;
      stream.x = node.operands[0];
      stream.error = node.result;
      return node.op() == Op::product && !request.transpose_a && !request.transpose_b && request.beta == 0 &&
             region_[stream.x].role == RegionRole::x && region_[node.result].columns == 1 &&
             region_[node.operands[1]].role == RegionRole::parameter;
    }
    if (is_elementwise(node)) {
      stream.elementwise.push_back(index);
      stream.error = node.result;
      return !has_gradient_ && !stream.column_sum;
    }
    if (node.op() == Op::column_sum && node.operands[0] == stream.error && !stream.column_sum) {
      stream.column_sum = index;
      return true;
    }
    stream.gradient = index;
    const bool is_gradient = node.op() == Op::product && request.transpose_a && !request.transpose_b &&
                             request.beta == 0 && node.operands[0] == stream.x && node.operands[1] == stream.error;
    return is_gradient && !std::exchange(has_gradient_, true);
  }

  const Region& region_;
  const RowBlocks& blocks_;
  bool has_gradient_ = false;
};

class RowStreamLowering {
 public:
  RowStreamLowering(Context& context, const RowBlocks& blocks, const RowStream& stream)
      : context_(context),
        builder_(context.builder),
        region_(context.region),
        stream_(stream),
        count_(blocks.rows),
        x_(context.place(stream.x)),
        lanes_(context.lanes()),
        vectors_(vectors_of(x_.columns, lanes_)) {}

  void run() {
    load_weights();
    for (std::int64_t v = 0; v < vectors_; ++v) sums_.push_back(zero(lanes_));
    const std::int64_t whole = count_ / stream_.rows * stream_.rows;
    if (whole > 0) pass(0, whole, stream_.rows);
    if (whole < count_) pass(whole, count_, 1);
    store_sums();
  }

 private:
  // Rows from `begin` on and before `end`, `together` at a time. What they add to the gradient follows one round later,
  // when their errors are known and others' outputs are under way.
  void pass(std::int64_t begin, std::int64_t end, std::int64_t together) {
    const VariableId error_sum = zero(static_cast<int>(together));
    const VariableId errors = zero(static_cast<int>(together));
    builder_.set(errors, forward(begin, together));
    builder_.loop(begin + together, end, together, [&](const Affine& row) {
      const Register known = builder_.get(errors);
      builder_.set(errors, forward(row, together));
      backward(row + Affine(-together), together, known, error_sum);
    });
    backward(end - together, together, builder_.get(errors), error_sum);
    error_sums_.push_back(builder_.sum_of_lanes(builder_.get(error_sum)));
  }

  VariableId zero(int lanes) {
    const VariableId variable = builder_.variable({context_.real(), lanes});
    builder_.set(variable, context_.real_number(0, lanes));
    return variable;
  }

  int active_of(std::int64_t vector) const {
    return static_cast<int>(std::min<std::int64_t>(lanes_, x_.columns - vector * lanes_));
  }

  void load_weights() {
    const Matrix& weights = context_.place(region_.nodes[stream_.product].operands[1]);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      weights_.push_back(builder_.load(weights.at(v * lanes_, 0), lanes_, active_of(v)));
    }
  }

  // The errors of rows from `row` on.
  Register forward(const Affine& row, std::int64_t rows) {
    fetch_ahead(row, rows);
    std::vector<Register> outputs;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::vector<Register> x = row_of_x(row + Affine(i));
      Register output = builder_.multiply(x[0], weights_[0]);
      for (std::size_t v = 1; v < x.size(); ++v) output = builder_.multiply_add(x[v], weights_[v], output);
      outputs.push_back(output);
    }
    return error_of(row, static_cast<int>(rows), sums_of_lanes(builder_, outputs));
  }

  // What they add to the sums.
  void backward(const Affine& row, std::int64_t rows, Register errors, VariableId error_sum) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const Register error = builder_.splat(builder_.lane(errors, static_cast<int>(i)), lanes_);
      const std::vector<Register> x = row_of_x(row + Affine(i));
      for (std::size_t v = 0; v < x.size(); ++v) {
        builder_.set(sums_[v], builder_.multiply_add(x[v], error, builder_.get(sums_[v])));
      }
    }
    if (stream_.column_sum) builder_.set(error_sum, builder_.add(builder_.get(error_sum), errors));
  }

  std::vector<Register> row_of_x(const Affine& row) {
    std::vector<Register> entries;
    const Line line = context_.row_of(x_, row);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      entries.push_back(builder_.load(x_.at(line, Line{v * lanes_}), lanes_, active_of(v)));
    }
    return entries;
  }

  // Rows that will be read soon, a line at a time.
  void fetch_ahead(const Affine& row, std::int64_t rows) {
    if (x_.ahead == 0) return;
    constexpr std::int64_t kLineBytes = 64;
    const std::int64_t line = kLineBytes / static_cast<std::int64_t>(bytes_of(context_.real()));
    for (std::int64_t entry = 0; entry < rows * x_.columns; entry += line) {
      builder_.prefetch(x_.at(row, entry + x_.ahead));
    }
  }

  // From the products of rows and weights, by the elementwise nodes that follow.
  Register error_of(const Affine& row, int rows, Register products) {
    const double alpha = region_.nodes[stream_.product].request.alpha;
    if (alpha != 1) products = builder_.multiply(products, context_.real_number(alpha, rows));
    std::map<ValueId, Register> values = {{region_.nodes[stream_.product].result, products}};
    for (const NodeIndex index : stream_.elementwise) {
      const Node& node = region_.nodes[index];
      std::vector<Register> operands;
      for (const ValueId operand : node.operands) {
        const auto known = values.find(operand);
        operands.push_back(known == values.end() ? entries_of(operand, row, rows) : known->second);
      }
      values[node.result] = entry_of(context_, node, operands);
    }
    return values.at(stream_.error);
  }

  // An entry for each row, or the same for all of them.
  Register entries_of(ValueId value, const Affine& row, int rows) {
    const Matrix& matrix = context_.place(value);
    if (matrix.rows == 1 && count_ > 1) return builder_.splat(builder_.load(matrix.at(0, 0), 1), rows);
    return builder_.load(matrix.at(row, 0), rows);
  }

  void store_sums() {
    const Node& gradient = region_.nodes[stream_.gradient];
    const Matrix& place = context_.place(gradient.result);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      Register sum = builder_.get(sums_[static_cast<std::size_t>(v)]);
      const double alpha = gradient.request.alpha;
      if (alpha != 1) sum = builder_.multiply(sum, context_.real_number(alpha, lanes_));
      builder_.store(place.at(v * lanes_, 0), sum, place.padded ? lanes_ : active_of(v));
    }
    if (!stream_.column_sum) return;
    Register sum = error_sums_[0];
    if (error_sums_.size() > 1) sum = builder_.add(sum, error_sums_[1]);
    builder_.store(context_.place(region_.nodes[*stream_.column_sum].result).at(0, 0), sum);
  }

  Context& context_;
  Builder& builder_;
  const Region& region_;
  const RowStream& stream_;
  std::int64_t count_;
  const Matrix x_;
  int lanes_;
  std::int64_t vectors_;
  std::vector<Register> weights_;
  std::vector<VariableId> sums_;  // of the gradient, a vector of columns each
  std::vector<Register> error_sums_;
};

}  // namespace

std::optional<RowStream> find_row_stream(const Region& region, const RowBlocks& blocks, const Target& target) {
  std::optional<RowStream> stream = Match(region, blocks).run();
  if (!stream || region.gathered || region[stream->x].columns == 1) return {};
  const int lanes = target.lanes(region.real);
  const std::int64_t vectors = vectors_of(region[stream->x].columns, lanes);
  // Weights and sums, an output for each row, and some more.
  for (std::int64_t rows = lanes; rows >= 2; rows /= 2) {
    if (2 * vectors + rows + 4 > target.registers || region[stream->x].rows < 2 * rows) continue;
    stream->rows = rows;
    return stream;
  }
  return {};
}

void lower_row_stream(Context& context, const RowBlocks& blocks, const RowStream& stream) {
  RowStreamLowering(context, blocks, stream).run();
}

}  // namespace gdbench::kernels::jit
