#include "implementations/backends/jit/lower/copies.h"

#include <algorithm>
#include <string>

namespace gdbench::backends::jit {
namespace {

// Entries of one row at a time, by products alone. A matrix of one column is read as a vector of rows.
bool is_read_by_rows(const Context& context, ValueId value) {
  if (context.region[value].columns == 1) return false;
  return std::ranges::all_of(context.region.readers(value), [&](NodeIndex reader) {
    const Node& node = context.region.nodes[reader];
    return node.op() == Op::product && node.operands[0] == value && std::ranges::count(node.operands, value) == 1;
  });
}

// Row by row, or a single column along its rows.
void copy(Context& context, const Matrix& from, const Matrix& to, bool rounded = false) {
  Builder& builder = context.builder;
  const bool column = from.columns == 1;
  builder.loop(0, column ? 1 : from.rows, 1, [&](const Affine& line) {
    context.for_each_vector({0, column ? from.rows : from.columns}, [&](const Affine& along, int active) {
      const Affine& row = column ? along : line;
      const Affine at = column ? Affine(0) : along;
      const Register entries = builder.load(from.at(row, at), context.lanes(), active);
      builder.store(to.at(row, at), rounded ? builder.narrow(entries) : entries, active);
    });
  });
}

// [columns, rows] in memory of its own.
Matrix transposed_copy(Context& context, const std::string& name, const Matrix& matrix) {
  Builder& builder = context.builder;
  const Matrix copy = context.allocate(name, matrix.columns, matrix.rows);
  builder.loop(0, matrix.rows, 1, [&](const Affine& row) {
    builder.loop(0, matrix.columns, 1, [&](const Affine& column) {
      builder.store(copy.at(column, row), builder.load(matrix.at(row, column), 1));
    });
  });
  return copy;
}

}  // namespace

void copy_gathered(Context& context, ValueId value) {
  Builder& builder = context.builder;
  const Matrix from = context.place(value);
  const Scalar element = builder.element_of(from.array);
  const Matrix to =
      context.allocate(element, "gathered_" + context.region.name_of(value), from.rows, from.columns, false);
  const int lanes = context.lanes();
  const bool rounded = context.region[value].rounded;
  builder.loop(0, from.rows, 1, [&](const Affine& row) {
    const Line line = context.row_of(from, row);
    if (from.columns == 1) {
      const Register entry = builder.load(from.at(line, Line{0, {}}), 1);
      builder.store(to.at(row, 0), rounded ? builder.narrow(entry) : entry);
      return;
    }
    const auto move = [&](const Affine& column, int active) {
      const Register entries = builder.load(from.at(line, Line{column, {}}), lanes, active);
      builder.store(to.at(row, column), rounded ? builder.narrow(entries) : entries, active);
    };
    context.for_each_vector({0, from.columns}, move);
  });
  context.place_at(value, to);
}

void gather(Context& context) {
  if (!context.region.gathered) return;
  for (ValueId value = 0; value < context.region.values.size(); ++value) {
    if (!context.region[value].is_batch()) continue;
    const bool is_found = context.in_lanes.empty() && is_read_by_rows(context, value) && !context.region[value].rounded;
    if (!is_found) copy_gathered(context, value);
  }
}

void round_inputs(Context& context) {
  const Region& region = context.region;
  for (ValueId value = 0; value < region.values.size(); ++value) {
    const bool copied = region[value].is_batch() && (region.gathered || region.constant_batch);
    if (!region[value].rounded || copied) continue;
    const bool parameter = region[value].is_rounded_parameter();
    const Matrix from = context.place(parameter ? region.unrounded(value) : value);
    const std::string name = parameter ? region.name_of(value) : "rounded_" + region.name_of(value);
    const Matrix to = context.allocate(name, from.rows, from.columns);
    copy(context, from, to, true);
    context.place_at(value, to);
  }
}

void copy_transposes(Context& context) {
  for (const Node& node : context.region.nodes) {
    if (node.op() != Op::product || !node.request.transpose_b) continue;
    const ValueId value = node.operands[1];
    const RegionValue& b = context.region[value];
    // A row is its own transpose, and so is a column; for one row of A, B is read as it lies.
    const bool one_row = context.region[node.result].rows == 1;
    if (context.in_lanes.contains(node.result) || one_row || b.rows == 1 || b.columns == 1 ||
        context.transposes.contains(value))
      continue;
    const std::string name = "transposed_" + context.region.name_of(value);
    context.transposes[value] = transposed_copy(context, name, context.place(value));
  }
}

std::int64_t PaddedState::copy_in() {
  constexpr std::int64_t kMaxEntries = 2048;
  const Region& region = context_.region;
  std::vector<ValueId> values;
  std::int64_t entries = 0;
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (!region[value].is_state()) continue;
    entries += region[value].size();
    const std::int64_t length = region[value].columns == 1 ? region[value].rows : region[value].columns;
    if (length > 1 && length % context_.lanes() != 0) values.push_back(value);
  }
  if (entries > kMaxEntries) return 0;
  for (const ValueId value : values) {
    const Matrix from = context_.place(value);
    const Matrix to = context_.allocate("padded_" + region.name_of(value), from.rows, from.columns);
    copy(context_, from, to);
    context_.place_at(value, to);
    origins_.emplace_back(value, from);
  }
  return static_cast<std::int64_t>(values.size());
}

void PaddedState::copy_back() {
  for (const auto& [value, origin] : origins_) {
    copy(context_, context_.place(value), origin);
    context_.place_at(value, origin);
  }
}

}  // namespace gdbench::backends::jit
