#include "implementations/backends/jit/lower/padding.h"

namespace gdbench::backends::jit {

std::int64_t PaddedState::copy_in() {
  constexpr std::int64_t kMaxEntries = 2048;
  const Region& region = context_.region;
  std::vector<ValueId> values;
  std::int64_t entries = 0;
  for (ValueId value = 0; value < region.values.size(); ++value) {
    const RegionRole role = region[value].role;
    if (role != RegionRole::parameter && role != RegionRole::slot) continue;
    entries += region[value].rows * region[value].columns;
    const std::int64_t length = region[value].columns == 1 ? region[value].rows : region[value].columns;
    if (length > 1 && length % context_.lanes() != 0) values.push_back(value);
  }
  if (entries > kMaxEntries) return 0;
  for (const ValueId value : values) {
    const Matrix from = context_.place(value);
    const Matrix to = context_.allocate("padded_" + region.name_of(value), from.rows, from.columns);
    copy(from, to);
    context_.place_at(value, to);
    origins_.emplace_back(value, from);
  }
  return static_cast<std::int64_t>(values.size());
}

void PaddedState::copy_back() {
  for (const auto& [value, origin] : origins_) {
    copy(context_.place(value), origin);
    context_.place_at(value, origin);
  }
}

void PaddedState::copy(const Matrix& from, const Matrix& to) {
  Builder& builder = context_.builder;
  const int lanes = context_.lanes();
  const bool column = from.columns == 1;
  const std::int64_t length = column ? from.rows : from.columns;
  builder.loop(0, column ? 1 : from.rows, 1, [&](const Affine& line) {
    const auto move = [&](const Affine& along, int active) {
      const Affine& row = column ? along : line;
      const Affine at = column ? Affine(0) : along;
      builder.store(to.at(row, at), builder.load(from.at(row, at), lanes, active), active);
    };
    context_.for_each_vector({0, length}, move);
  });
}

}  // namespace gdbench::backends::jit
