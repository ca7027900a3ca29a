#include "implementations/backends/jit/lower/row_stream.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "implementations/backends/jit/lower/entry_lowering.h"
#include "implementations/backends/jit/lower/groups.h"

namespace gdbench::backends::jit {
namespace {

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
        vectors_(rounded_up_quotient(x_.columns, lanes_)),
        entries_(context, lanes_, Chains::few) {
    context.take_rows(blocks.batch, 1, 0);  // of vectors of rows
  }

  void run() {
    const Matrix& weights = context_.place(region_.nodes[stream_.product].operands[1]);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      weights_.push_back(builder_.load(weights.at(v * lanes_, 0), lanes_, active_of(v)));
      sums_.push_back(zero());
    }
    const std::int64_t whole = count_ / stream_.rows * stream_.rows;
    if (whole > 0) pass(0, whole, stream_.rows);
    if (whole < count_) pass(whole, count_, 1);
    store_sums();
  }

 private:
  using Row = std::vector<Register>;  // vectors of columns

  VariableId zero() {
    const VariableId variable = builder_.variable({context_.real(), lanes_});
    builder_.set(variable, context_.real_number(0, lanes_));
    return variable;
  }

  int active_of(std::int64_t vector) const {
    return static_cast<int>(std::min<std::int64_t>(lanes_, x_.columns - vector * lanes_));
  }

  // Rows from `begin` on and before `end`, `together` at a time.
  void pass(std::int64_t begin, std::int64_t end, std::int64_t together) {
    const int of_rows = static_cast<int>(together);
    const std::optional<VariableId> error_sum = stream_.column_sum ? std::optional(zero()) : std::nullopt;
    builder_.loop(begin, end, together, [&](const Affine& first) {
      std::vector<Register> outputs;
      for (int i = 0; i < of_rows; ++i) outputs.push_back(output_of(row_of_x(first + Affine(i))));
      const Register errors = errors_of(first, of_rows, repeated_sums_of_lanes(builder_, outputs));
      builder_.fence();
      for (int i = 0; i < of_rows; ++i) {
        add_to_sums(row_of_x(first + Affine(i)), builder_.shuffle(errors, errors, lanes_of_row(i, of_rows)));
      }
      if (error_sum) builder_.set(*error_sum, builder_.add(builder_.get(*error_sum), errors));
    });
    if (!error_sum) return;
    std::vector<int> once(static_cast<std::size_t>(of_rows));
    std::iota(once.begin(), once.end(), 0);
    const Register total = builder_.get(*error_sum);
    error_sums_.push_back(sums_of_lanes(builder_, {builder_.shuffle(total, total, std::move(once))}));
  }

  Row row_of_x(const Affine& row) {
    Row entries;
    const Line line = context_.row_of(x_, row);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      entries.push_back(builder_.load(x_.at(line, Line{v * lanes_}), lanes_, active_of(v)));
    }
    return entries;
  }

  // Whose lanes' sum is what the row's product with the weights is.
  Register output_of(const Row& row) {
    Register output = builder_.multiply(row[0], weights_[0]);
    for (std::size_t v = 1; v < row.size(); ++v) output = builder_.multiply_add(row[v], weights_[v], output);
    return output;
  }

  void add_to_sums(const Row& row, Register error) {
    for (std::size_t v = 0; v < row.size(); ++v) {
      builder_.set(sums_[v], builder_.multiply_add(row[v], error, builder_.get(sums_[v])));
    }
  }

  // Entries of `rows` rows, over and over in the lanes of a vector: those of row i in all lanes, without leaving the
  // 128 bits that a processor shuffles fastest.
  std::vector<int> lanes_of_row(int row, int rows) const {
    std::vector<int> indices;
    for (int lane = 0; lane < lanes_; ++lane) indices.push_back(lane / rows * rows + row);
    return indices;
  }

  // From the products of rows and weights, by the elementwise nodes that follow. All are repeated as in lanes_of_row.
  Register errors_of(const Affine& first, int rows, Register products) {
    const Node& product = region_.nodes[stream_.product];
    Entries outputs;
    outputs.add(products);
    outputs.scale = product.request.alpha;
    entries_[product.result] = std::move(outputs);
    for (const NodeIndex index : stream_.elementwise) {
      const Node& node = region_.nodes[index];
      for (const ValueId operand : node.operands) {
        if (region_.producer(operand)) continue;
        entries_[operand] = {};
        entries_[operand].add(entries_of(operand, first, rows));
      }
      entries_.lower(node);
    }
    const Register errors = entries_.raw(stream_.error, 0);
    error_scale_ = entries_[stream_.error].scale;
    return errors;
  }

  Register entries_of(ValueId value, const Affine& first, int rows) {
    const Matrix& matrix = context_.place(value);
    const bool same_for_all = region_[value].role == RegionRole::parameter;
    const Address address = same_for_all ? matrix.at(0, 0) : matrix.at(first, 0);
    if (same_for_all || rows == 1) return builder_.splat(builder_.load(address, 1), lanes_);
    const Register once = builder_.load(address, rows);
    std::vector<int> indices;
    for (int lane = 0; lane < lanes_; ++lane) indices.push_back(lane % rows);
    return builder_.shuffle(once, once, std::move(indices));
  }

  void store_sums() {
    const Node& gradient = region_.nodes[stream_.gradient];
    const Matrix& place = context_.place(gradient.result);
    for (std::int64_t v = 0; v < vectors_; ++v) {
      const Register sum = builder_.get(sums_[static_cast<std::size_t>(v)]);
      const Register scaled =
          builder_.multiply(sum, context_.real_number(gradient.request.alpha * error_scale_, lanes_));
      builder_.store(place.at(v * lanes_, 0), scaled, place.padded ? lanes_ : active_of(v));
    }
    if (!stream_.column_sum) return;
    Register sum = error_sums_[0];
    if (error_sums_.size() > 1) sum = builder_.add(sum, error_sums_[1]);
    sum = builder_.multiply(sum, context_.real_number(error_scale_, 1));
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
  EntryLowering entries_;   // of a few rows, from their outputs to their errors
  double error_scale_ = 1;  // by which the errors are still to be multiplied
};

}  // namespace

std::optional<RowStream> find_row_stream(const Region& region, const RowBlocks& blocks, const Target& target) {
  std::optional<RowStream> stream = Match(region, blocks).run();
  if (!stream || region.gathered || region[stream->x].columns == 1) return {};
  constexpr std::int64_t kShuffledBytes = 16;
  const std::int64_t rows = kShuffledBytes / static_cast<std::int64_t>(bytes_of(region.real));
  const std::int64_t vectors = rounded_up_quotient(region[stream->x].columns, target.lanes(region.real));
  // Weights, sums, outputs, and a few more.
  if (2 * vectors + rows + 3 > target.registers || region[stream->x].rows < 2 * rows) return {};
  stream->rows = rows;
  return stream;
}

void lower_row_stream(Context& context, const RowBlocks& blocks, const RowStream& stream) {
  RowStreamLowering(context, blocks, stream).run();
}

}  // namespace gdbench::backends::jit
