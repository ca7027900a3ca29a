// Sums over rows, and the gradient of the cross-entropy of softmax.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

// Additions side by side that hide the latency of one: two units, four cycles.
constexpr std::int64_t kChains = 8;

// Sums of many addends, each in several variables where few of them are computed side by side, so that an addition need
// not wait for the one before.
class SumChains {
 public:
  // `count` vectors of sums, which begin here: as 0, or as start(sum). Each is added to once for every `unit` of
  // `length`: the lanes of a vector, if what is summed lies along vectors (whose lanes are to be added up in the end:
  // sums_of_lanes), or 1.
  SumChains(Context& context, std::int64_t count, std::int64_t length, std::int64_t unit)
      : SumChains(context, count, length, unit, [&](std::int64_t) { return context.real_number(0, context.lanes()); }) {
  }
  template <class Start>
  SumChains(Context& context, std::int64_t count, std::int64_t length, std::int64_t unit, const Start& start)
      : builder_(context.builder),
        count_(count),
        length_(length),
        unit_(unit),
        chains_(std::clamp<std::int64_t>(kChains / count, 1, std::max<std::int64_t>(length / unit, 1))) {
    for (std::int64_t i = 0; i < chains_ * count_; ++i) {
      variables_.push_back(builder_.variable({context.real(), context.lanes()}));
      builder_.set(variables_.back(), i < count_ ? start(i) : context.real_number(0, context.lanes()));
    }
  }

  // add(chain, first, active) for each unit: from `first` on, of which `active` are some.
  template <class Add>
  void for_each_unit(const Add& add) {
    const std::int64_t together = chains_ * unit_;
    const std::int64_t whole = length_ / together * together;
    const int all = static_cast<int>(unit_);
    builder_.loop(0, whole, together, [&](const Affine& first) {
      for (std::int64_t chain = 0; chain < chains_; ++chain) add(chain, first + Affine(chain * unit_), all);
    });
    for (std::int64_t first = whole; first < length_; first += unit_) {
      add((first - whole) / unit_, first, static_cast<int>(std::min(unit_, length_ - first)));
    }
  }

  VariableId at(std::int64_t chain, std::int64_t sum) const {
    return variables_[static_cast<std::size_t>(chain * count_ + sum)];
  }

  // A vector for each sum.
  std::vector<Register> totals() {
    std::vector<Register> totals;
    for (std::int64_t sum = 0; sum < count_; ++sum) {
      std::vector<Register> parts;
      for (std::int64_t chain = 0; chain < chains_; ++chain) parts.push_back(builder_.get(at(chain, sum)));
      // In pairs, and these in pairs.
      while (parts.size() > 1) {
        const std::size_t half = (parts.size() + 1) / 2;
        for (std::size_t i = 0; half + i < parts.size(); ++i) parts[i] = builder_.add(parts[i], parts[half + i]);
        parts.resize(half);
      }
      totals.push_back(parts[0]);
    }
    return totals;
  }

 private:
  Builder& builder_;
  std::int64_t count_;
  std::int64_t length_;
  std::int64_t unit_;
  std::int64_t chains_;
  std::vector<VariableId> variables_;  // [chains][count]
};

void lower_column_sum(Context& context, GroupWriter& writer);
// The group and the sums over rows that it takes along (SumEpilogues).
void lower_with_sums(Context& context, const Group& group, const std::vector<Group>& sums);
// D = alpha (softmax(P) - one-hot(labels)), row by row.
void lower_softmax_gradient(Context& context, GroupWriter& writer);

}  // namespace gdbench::backends::jit
