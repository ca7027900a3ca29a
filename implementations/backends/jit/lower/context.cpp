#include "implementations/backends/jit/lower/context.h"

#include <algorithm>
#include <numeric>

namespace gdbench::backends::jit {

constexpr std::int64_t kScalarsPerStep = sizeof(UpdateScalars) / sizeof(double);
static_assert(kScalarsPerStep == 4);

Context::Context(Region& for_region, const Target& for_target, Builder& writer)
    : region(for_region), target(for_target), builder(writer), rows_of_(for_region), places_(for_region.values.size()) {
  has_gradients_ = std::ranges::count(region.values, RegionRole::gradient, &Value::role) != 0;
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (region[value].role != RegionRole::result && !region[value].is_rounded_parameter()) place_input(value);
    if (region[value].hoisted) place_hoisted(value);
  }
}

void Context::place_input(ValueId id) {
  const Value& value = region[id];
  Array array{.name = region.name_of(id), .element = real(), .size = value.size()};
  std::int64_t first = 0;
  std::int64_t row_stride = value.columns;
  switch (value.role) {
    case RegionRole::x:
    case RegionRole::targets: {
      const bool labels = std::ranges::any_of(region.nodes, [&](const Node& node) {
        return node.op() == Op::loss_gradient && node.operands[1] == id && takes_labels(node.request.loss);
      });
      array.argument = value.role == RegionRole::x ? kX : kTargets;
      if (labels) array.element = Scalar::i32;
      if (region.gathered) {
        array.size = value.columns;  // a row, wherever it is
      } else {
        first = value.first_row * value.columns;
      }
      break;
    }
    case RegionRole::parameter:
    case RegionRole::slot:
    case RegionRole::gradient:
      array.argument = argument_of_state(value);
      first = value.offset;
      break;
    case RegionRole::scalars:
      array.argument = kScalars;
      array.element = Scalar::f64;
      array.size = kPerStep;
      row_stride = kScalarsPerStep;
      break;
    case RegionRole::result:
      return;
  }
  const std::size_t element = bytes_of(array.element);
  array.offset = first * static_cast<std::int64_t>(element);
  // Blocks start where arrays must, a batch anywhere in the data.
  array.alignment = value.is_state() ? std::gcd(GDBENCH_ALIGNMENT, static_cast<std::size_t>(array.offset)) : element;
  places_[id] = Matrix{
      .array = builder.array(std::move(array)), .rows = value.rows, .columns = value.columns, .row_stride = row_stride};
}

std::size_t Context::argument_of_state(const Value& value) const {
  if (value.role == RegionRole::parameter) return kParameters;
  return kFirstSlot + (value.role == RegionRole::slot ? value.slot : region.slots);
}

bool Context::is_updated(ValueId id) const {
  return std::ranges::any_of(region.nodes, [&](const Node& node) {
    return node.op() == Op::update &&
           std::find(node.operands.begin() + kUpdatedParameter, node.operands.end(), id) != node.operands.end();
  });
}

void Context::place_hoisted(ValueId id) {
  const std::int64_t offset = arena_bytes_;
  place_result(id);
  precomputed_.push_back({*region[id].hoisted, place(id), offset});
}

void Context::place_result(ValueId id) {
  places_[id] = allocate(region.name_of(id), region[id].rows, region[id].columns, in_lanes.contains(id));
}

void Context::begin_step(const Affine& step) {
  if (!region.gathered) return;
  const ArrayId array = builder.array({.name = "rows",
                                       .element = Scalar::i32,
                                       .argument = kRows,
                                       .size = kPerStep,
                                       .alignment = bytes_of(Scalar::i32)});
  numbers_of_step_ = step * region.batch_rows;
  for (ValueId id = 0; id < region.values.size(); ++id) {
    if (!region[id].is_batch()) continue;
    places_[id]->numbers = array;
    places_[id]->first_number = numbers_of_step_ + Affine(region[id].first_row);
  }
}

Line Context::line_of(const Matrix& matrix, const Affine& index, bool column) {
  if (!matrix.numbers || matrix.numbered_columns != column) return {index, {}};
  const Register number = builder.load({*matrix.numbers, matrix.first_number + index, {}}, 1);
  const std::int64_t stride = column ? matrix.column_stride : matrix.row_stride;
  const Register wide = builder.convert(number, Scalar::i64);
  return {0, builder.multiply(wide, builder.constant({Scalar::i64, 1}, static_cast<double>(stride)))};
}

std::int64_t Context::entries_per_block(ValueId id, std::int64_t rows) const {
  const auto packed = entries_per_row_.find(id);
  return rows * (packed == entries_per_row_.end() ? places_[id]->row_stride : packed->second);
}

void Context::take_rows(const std::set<ValueId>& batch, std::int64_t rows, const Affine& first) {
  for (const ValueId id : batch) {
    rows_of_.values[id].rows = rows;
    if (!places_[id]) continue;
    places_[id]->rows = rows;
    if (region[id].role == RegionRole::result && !entries_per_row_.contains(id)) continue;
    if (places_[id]->numbers) {
      places_[id]->first_number = numbers_of_step_ + Affine(region[id].first_row) + first;
      continue;
    }
    places_[id]->first = first * entries_per_block(id, 1);
  }
}

std::vector<Matrix> Context::allocate_parts(const std::string& name, std::int64_t rows, std::int64_t columns,
                                            int threads) {
  std::vector<Matrix> places;
  for (int thread = 0; thread < threads; ++thread) {
    places.push_back(allocate_in(arena_argument() + kSharedArena, shared_bytes_, real(),
                                 name + "_of_thread_" + std::to_string(thread), rows, columns, false));
  }
  return places;
}

Matrix Context::allocate_in(std::size_t argument, std::int64_t& bytes, Scalar element, const std::string& name,
                            std::int64_t rows, std::int64_t columns, bool rows_side_by_side) {
  const bool column = columns == 1 || rows_side_by_side;
  const std::int64_t stride = rounded_up(column ? rows : columns, lanes());
  const std::int64_t size = stride * (column ? columns : rows);
  const ArrayId array = builder.array({.name = name,
                                       .element = element,
                                       .argument = argument,
                                       .offset = bytes,
                                       .size = size,
                                       .alignment = GDBENCH_ALIGNMENT});
  bytes += rounded_up(size * static_cast<std::int64_t>(bytes_of(element)), GDBENCH_ALIGNMENT);
  return {.array = array,
          .rows = rows,
          .columns = columns,
          .row_stride = column ? 1 : stride,
          .column_stride = column && columns > 1 ? stride : 1,
          .padded = true};
}

Matrix Context::allocate_blocks(Scalar element, const std::string& name, std::int64_t rows, std::int64_t columns,
                                std::int64_t block_rows, bool shared) {
  const std::int64_t stride = rounded_up(block_rows, lanes());
  const std::int64_t size = rounded_up_quotient(rows, block_rows) * stride;
  const std::size_t argument = arena_argument() + (shared ? kSharedArena : kArena);
  Matrix matrix = allocate_in(argument, shared ? shared_bytes_ : arena_bytes_, element, name, size, columns, true);
  matrix.rows = std::min(block_rows, rows);
  matrix.column_stride = stride;
  return matrix;
}

void Context::place_in_blocks(ValueId id, std::int64_t block_rows, bool shared) {
  const RegionValue& value = region[id];
  const std::string name = (value.role == RegionRole::result ? "" : "packed_") + region.name_of(id);
  places_[id] = allocate_blocks(real(), name, value.rows, value.columns, block_rows, shared);
  entries_per_row_[id] = value.columns;
}

void Context::pack(ValueId id, std::int64_t block_rows, bool shared) {
  const Value& value = region[id];
  Pack pack{.rows = value.rows,
            .columns = value.columns,
            .row_stride = value.columns,
            .block_rows = block_rows,
            .stride = rounded_up(block_rows, lanes()),
            .shared = shared,
            .rounded = value.rounded,
            .offset = shared ? shared_bytes_ : arena_bytes_};
  if (value.is_state()) {
    pack.argument = argument_of_state(value);
    pack.first = value.offset;
    pack.stored = is_updated(id);
    pack.loaded = value.role != RegionRole::gradient || !pack.stored;
    state_packs_.push_back(pack);
  } else {
    pack.argument = value.role == RegionRole::x ? kX : kTargets;
    pack.first = value.first_row * value.columns;
    packs_.push_back(pack);
  }
  place_in_blocks(id, block_rows, shared);
}

Matrix Context::pack_transpose(ValueId id, std::int64_t block_columns, bool shared) {
  const Value& value = region[id];
  packs_.push_back({.argument = value.role == RegionRole::x ? kX : kTargets,
                    .first = value.first_row * value.columns,
                    .rows = value.columns,
                    .columns = value.rows,
                    .row_stride = 1,
                    .column_stride = value.columns,
                    .block_rows = block_columns,
                    .stride = rounded_up(block_columns, lanes()),
                    .shared = shared,
                    .rounded = value.rounded,
                    .offset = shared ? shared_bytes_ : arena_bytes_});
  return allocate_blocks(real(), "transposed_" + region.name_of(id), value.columns, value.rows, block_columns, shared);
}

void Context::pack_rows(ValueId id) {
  if (region[id].columns == 1) return pack(id, region[id].rows);
  places_[id] = pack_transpose(id, region[id].columns, false).transposed();
}

}  // namespace gdbench::backends::jit
