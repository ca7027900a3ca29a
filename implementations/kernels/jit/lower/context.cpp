#include "implementations/kernels/jit/lower/context.h"

#include <algorithm>
#include <numeric>

namespace gdbench::kernels::jit {

namespace {

constexpr std::int64_t kScalarsPerStep = sizeof(UpdateScalars) / sizeof(double);
static_assert(kScalarsPerStep == 3);

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

Context::Context(Region& for_region, const Target& for_target, Builder& writer)
    : region(for_region), target(for_target), builder(writer), rows_of_(for_region), places_(for_region.values.size()) {
  for (const RegionValue& value : region.values) {
    if (value.role == RegionRole::slot) slots_ = std::max(slots_, value.slot + 1);
  }
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (region[value].role != RegionRole::result) place_input(value);
  }
}

void Context::place_input(ValueId id) {
  const RegionValue& value = region[id];
  Array array;
  array.name = region.name_of(id);
  array.element = real();
  array.size = value.rows * value.columns;
  std::int64_t first = value.first_row * value.columns;
  switch (value.role) {
    case RegionRole::x:
      array.argument = kX;
      break;
    case RegionRole::targets: {
      const bool labels = std::ranges::any_of(region.nodes, [&](const Node& node) {
        return node.op() == Op::loss_gradient && node.operands[1] == id &&
               node.request.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY;
      });
      array.argument = kTargets;
      if (labels) array.element = Scalar::i32;
      break;
    }
    case RegionRole::parameter:
      array.argument = kParameters;
      first = value.offset;
      break;
    case RegionRole::slot:
      array.argument = kFirstSlot + value.slot;
      first = value.offset;
      break;
    case RegionRole::scalars:
      array.argument = kScalars;
      array.element = Scalar::f64;
      array.size = kPerStep;
      first = 0;
      break;
    case RegionRole::result:
      return;
  }
  const std::size_t element = bytes_of(array.element);
  array.offset = first * static_cast<std::int64_t>(element);
  // Blocks start where arrays must, a batch anywhere in the data.
  const bool state = value.role == RegionRole::parameter || value.role == RegionRole::slot;
  array.alignment = state ? std::gcd(GDBENCH_ALIGNMENT, static_cast<std::size_t>(array.offset)) : element;
  const std::int64_t stride = value.role == RegionRole::scalars ? kScalarsPerStep : value.columns;
  place_at(id, {builder.array(std::move(array)), value.rows, value.columns, stride, 1, false, {}});
}

void Context::take_rows(const std::set<ValueId>& batch, std::int64_t rows, const Affine& first) {
  for (const ValueId id : batch) {
    rows_of_.values[id].rows = rows;
    if (!places_[id]) continue;
    places_[id]->rows = rows;
    if (region[id].role != RegionRole::result) places_[id]->first = first * places_[id]->row_stride;
  }
}

Matrix Context::allocate(const std::string& name, std::int64_t rows, std::int64_t columns) {
  // A matrix of one column has its rows side by side.
  const bool column = columns == 1;
  const std::int64_t stride = column ? 1 : rounded_up(columns, lanes());
  const std::int64_t size = column ? rounded_up(rows, lanes()) : rows * stride;
  Array array;
  array.name = name;
  array.element = real();
  array.argument = arena_argument();
  array.offset = arena_bytes_;
  array.size = size;
  array.alignment = GDBENCH_ALIGNMENT;
  arena_bytes_ += rounded_up(size * static_cast<std::int64_t>(bytes_of(real())), GDBENCH_ALIGNMENT);
  return {builder.array(std::move(array)), rows, columns, stride, 1, true, {}};
}

}  // namespace gdbench::kernels::jit
