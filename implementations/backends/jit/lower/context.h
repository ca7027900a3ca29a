// What lowering a node takes: the region, where its values lie, and the program that is written.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/lower/matrix.h"
#include "implementations/backends/jit/lower/share.h"
#include "implementations/backends/jit/lower/target.h"
#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

// The arguments of a region's function: RegionCall's buffers, and behind them its thread's own memory, memory that all
// threads share, and where they meet: a function and what it is given. The gradients' block is behind those of slots,
// where there is one; what is missing leaves no gap.
enum Argument : std::size_t { kX, kTargets, kRows, kScalars, kParameters, kFirstSlot };
enum OwnArgument : std::size_t { kArena, kSharedArena, kMeeting, kOwnArguments = kMeeting + 2 };
constexpr std::size_t kMaxArguments = kFirstSlot + 3 + kOwnArguments;  // two slots and the gradients

// A copy of a matrix in blocks of rows: columns of `block_rows` rows side by side, column after column, block after
// block. Of a batch it is made before the first step, where all steps see the same one; of parameters and slots
// whenever they are loaded.
struct Pack {
  std::size_t argument = 0;
  std::int64_t first = 0;  // entry of the argument
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;  // of the argument, in entries
  std::int64_t column_stride = 1;
  std::int64_t block_rows = 0;
  std::int64_t stride = 0;  // of the copy, from one column to the next: block_rows, rounded up to whole vectors
  bool shared = false;      // in the arena of all threads
  bool rounded = false;     // to bfloat16
  // Of the state: whether runs read it, and whether they change it.
  bool loaded = true;
  bool stored = true;
  std::int64_t offset = 0;  // in the arena, in bytes
};

// A HoistedProduct that is computed before the first step.
struct Precomputed {
  HoistedProduct product;
  Matrix matrix;
  std::int64_t offset = 0;  // in the arena, in bytes
};

// What updates take that is the same for all entries of a step (UpdateStep in rules/updates.h), as scalars.
struct StepFactors {
  Register rate = 0;
  Register shrinkage = 0;
  Register corrected_rate = 0;
  Register root_factor = 0;
  Register added_rate = 0;
};

class Context {
 public:
  // `region` must outlive this.
  Context(Region& region, const Target& target, Builder& builder);

  const Region& region;
  Target target;
  Builder& builder;
  std::optional<StepFactors> factors;  // set where a step begins

  // Whether vectors' quotients and roots may be refined from estimates (loops/functions.h), and how many are.
  bool refines = false;
  std::int64_t refined = 0;

  Scalar real() const { return region.real; }
  int lanes() const { return target.lanes(region.real); }
  const Matrix& place(ValueId value) const { return *places_[value]; }
  // A place in the arena for a result, padded. Two calls give two places. Rows lie side by side in a matrix of one
  // column, and where that is wanted.
  Matrix allocate(const std::string& name, std::int64_t rows, std::int64_t columns, bool rows_side_by_side = false) {
    return allocate(real(), name, rows, columns, rows_side_by_side);
  }
  Matrix allocate(Scalar element, const std::string& name, std::int64_t rows, std::int64_t columns,
                  bool rows_side_by_side) {
    return allocate_in(arena_argument(), arena_bytes_, element, name, rows, columns, rows_side_by_side);
  }
  // A place for each thread's part of a value, for all of them to read.
  std::vector<Matrix> allocate_parts(const std::string& name, std::int64_t rows, std::int64_t columns, int threads);
  // Gives a result such a place, with its rows side by side where they are the lanes of vectors.
  void place_result(ValueId value);
  // A place for rows in blocks of `block_rows`, side by side within theirs: entry (0, 0) of each block is
  // entries_per_block behind the one before. For all threads, where that is wanted.
  Matrix allocate_blocks(Scalar element, const std::string& name, std::int64_t rows, std::int64_t columns,
                         std::int64_t block_rows, bool shared);
  // Gives a value such a place; take_rows says which of its blocks is seen.
  void place_in_blocks(ValueId value, std::int64_t block_rows, bool shared);
  // Puts a value of the batch into a Pack that is made once, or one of the state into one that is loaded and stored.
  void pack(ValueId value, std::int64_t block_rows, bool shared = false);
  // Such a Pack of the transpose of a value of the batch, which the caller keeps.
  Matrix pack_transpose(ValueId value, std::int64_t block_columns, bool shared);
  // Puts a value of the batch into a Pack of its rows, one behind the other.
  void pack_rows(ValueId value);
  void place_at(ValueId value, const Matrix& matrix) { places_[value] = matrix; }
  // See Matrix::ahead.
  void fetch_ahead(ValueId value, std::int64_t elements) { places_[value]->ahead = elements; }
  bool has_place(ValueId value) const { return places_[value].has_value(); }

  // What `step`, which counts the steps, sees: where batches are gathered, the numbers of its rows.
  void begin_step(const Affine& step);
  // Row or column `index` of a matrix. For one that has a number this emits the instructions that look it up.
  Line row_of(const Matrix& matrix, const Affine& index) { return line_of(matrix, index, false); }
  Line column_of(const Matrix& matrix, const Affine& index) { return line_of(matrix, index, true); }

  // Entries from a row of one block of the batch to the same row of the next one, where `rows` are a block.
  std::int64_t entries_per_block(ValueId value, std::int64_t rows) const;
  // From here on the values of `batch` have `rows` rows, those of the batch from `first` on (row_blocks.h). To be
  // called for the largest block first.
  void take_rows(const std::set<ValueId>& batch, std::int64_t rows, const Affine& first);

  // Values of the batch whose rows lie side by side (plan.h).
  std::set<ValueId> in_lanes;
  // Results to which every block of rows adds its own.
  std::set<ValueId> accumulated;
  // Values that are sums of what each thread has of them, and this thread's share of what is made of those.
  std::map<ValueId, std::vector<Matrix>> parts;
  Share share_of_entries;
  // Waits for the other threads.
  void meet() { builder.meet(arena_argument() + kMeeting); }
  // Copies of values that are read as their transposes.
  std::map<ValueId, Matrix> transposes;

  std::size_t arena_argument() const { return kFirstSlot + region.slots + (has_gradients_ ? 1 : 0); }
  std::int64_t arena_bytes() const { return arena_bytes_; }
  std::int64_t shared_bytes() const { return shared_bytes_; }
  const std::vector<Pack>& packs() const { return packs_; }
  const std::vector<Pack>& state_packs() const { return state_packs_; }
  const std::vector<Precomputed>& precomputed() const { return precomputed_; }

  // body(first, active) for the vectors of a range: those that are full, in a loop, and what is left over.
  template <class Body>
  void for_each_vector(const Range& range, const Body& body) {
    const std::int64_t whole = range.begin + range.size() / lanes() * lanes();
    builder.loop(range.begin, whole, lanes(), [&](const Affine& first) { body(first, lanes()); });
    if (whole < range.end) body(Affine(whole), static_cast<int>(range.end - whole));
  }

  // A constant in all lanes.
  Register real_number(double value, int lanes) const { return builder.constant({region.real, lanes}, value); }

 private:
  std::size_t argument_of_state(const Value& value) const;
  bool is_updated(ValueId value) const;
  void place_input(ValueId value);
  void place_hoisted(ValueId value);
  Line line_of(const Matrix& matrix, const Affine& index, bool column);
  // Of memory that an argument points to, of which `bytes` are taken.
  Matrix allocate_in(std::size_t argument, std::int64_t& bytes, Scalar element, const std::string& name,
                     std::int64_t rows, std::int64_t columns, bool rows_side_by_side);

  Region& rows_of_;
  Affine numbers_of_step_;                     // where those of the step's rows start
  std::vector<std::optional<Matrix>> places_;  // by value
  std::vector<Pack> packs_;
  std::vector<Pack> state_packs_;
  std::vector<Precomputed> precomputed_;
  std::map<ValueId, std::int64_t> entries_per_row_;  // of packed values: from one block's first entry to the next one's
  bool has_gradients_ = false;
  std::int64_t arena_bytes_ = 0;
  std::int64_t shared_bytes_ = 0;
};

}  // namespace gdbench::backends::jit
