// What lowering a node takes: the region, where its values lie, and the program that is written.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "implementations/kernels/jit/loops/builder.h"
#include "implementations/kernels/jit/lower/groups.h"
#include "implementations/kernels/jit/lower/matrix.h"
#include "implementations/kernels/jit/lower/target.h"
#include "implementations/kernels/jit/region/region.h"
#include "implementations/kernels/rules/updates.h"

namespace gdbench::kernels::jit {

// The arguments of a region's function: RegionCall's buffers, and behind them memory of its own. A region without slots
// has the arena where its first slot would be.
enum Argument : std::size_t { kX, kTargets, kRows, kScalars, kParameters, kFirstSlot };
constexpr std::size_t kMostArguments = kFirstSlot + 3;  // two slots and the arena

// What updates take that is the same for all entries of a step (UpdateStep in rules/updates.h), as scalars.
struct StepFactors {
  Register rate = 0;
  Register shrinkage = 0;
  Register corrected_rate = 0;
  Register root_factor = 0;
};

class Context {
 public:
  // `region` must outlive this.
  Context(Region& region, const Target& target, Builder& builder);

  const Region& region;
  Target target;
  Builder& builder;
  std::optional<StepFactors> factors;  // set where a step begins

  Scalar real() const { return region.real; }
  int lanes() const { return target.lanes(region.real); }
  const Matrix& place(ValueId value) const { return *places_[value]; }
  // A place in the arena for a result, padded. Two calls give two places.
  Matrix allocate(const std::string& name, std::int64_t rows, std::int64_t columns);
  void place_at(ValueId value, const Matrix& matrix) { places_[value] = matrix; }
  bool has_place(ValueId value) const { return places_[value].has_value(); }

  // From here on the values of `batch` have `rows` rows, those of the batch from `first` on (row_blocks.h). To be called
  // for the largest block first.
  void take_rows(const std::set<ValueId>& batch, std::int64_t rows, const Affine& first);

  // Results to which every block of rows adds its own.
  std::set<ValueId> accumulated;
  // Copies of values that are read as their transposes.
  std::map<ValueId, Matrix> transposes;

  std::size_t arena_argument() const { return kFirstSlot + slots_; }
  std::int64_t arena_bytes() const { return arena_bytes_; }

  // A constant in all lanes.
  Register real_number(double value, int lanes) const { return builder.constant({region.real, lanes}, value); }

 private:
  void place_input(ValueId value);

  Region& rows_of_;
  std::vector<std::optional<Matrix>> places_;  // by value
  std::size_t slots_ = 0;
  std::int64_t arena_bytes_ = 0;
};

}  // namespace gdbench::kernels::jit
