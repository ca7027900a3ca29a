// The one data loader of all native plugins: which rows belong to step t, and where they lie in host memory. It knows
// the C interface and nothing of backends. Of a batch that several ranks share, it only has this rank's rows.
//
// Batches either lie ready (a slice of the data, or laid out when the loader was made) or are made by a BatchMaker in
// the loader's own buffers, on the calling thread or ahead on a helper thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/loader/aligned_memory.h"
#include "implementations/loader/batch_maker.h"
#include "implementations/loader/batch_plan.h"
#include "implementations/loader/loader_settings.h"
#include "implementations/loader/prefetcher.h"
#include "implementations/loader/stream_reader.h"

namespace gdbench::loader {

struct Batch {
  const void* x = nullptr;        // [rows, features]
  const void* targets = nullptr;  // Y [rows, outputs], or int32 labels [rows]
  std::int64_t rows = 0;
  std::int64_t whole_rows = 0;  // of the step's batch, of which these are this rank's
};

// Memory that batches lie in: those of every step are within it.
struct BatchMemory {
  const std::byte* x = nullptr;
  std::size_t x_bytes = 0;
  const std::byte* targets = nullptr;
  std::size_t target_bytes = 0;
};

// Memory that outlives the loader, zero-filled and aligned to GDBENCH_ALIGNMENT. May throw Failure.
using Allocate = std::function<std::byte*(std::size_t bytes)>;

class BatchLoader {
 public:
  // `data` must outlive the loader; `labels`: the targets are labels. `allocate`: batches lie in memory of this kind
  // wherever they would lie otherwise, data that lie ready having been copied there once. Throws Failure:
  // GDBENCH_INVALID where a batch's rows are not in [1, data.rows], GDBENCH_UNSUPPORTED for settings that this data
  // cannot have: more than 1 GiB of batches laid out, batches made ahead that lie ready anyway, a stream whose memory
  // cap is too small for them.
  BatchLoader(const gdbench_data& data, Batching batch, bool labels, const LoaderSettings& settings = {},
              Allocate allocate = {});

  // Says which steps' batches come next; with prefetch they are made from here on.
  void start(std::int64_t first_step, std::uint64_t steps) {
    if (prefetcher_) prefetcher_->start(first_step, steps);
  }
  // The batch of a step counted from 0, by the rule at gdbench_data.order. Never allocates. One that is made is valid
  // until the next call. With prefetch only for started steps, in order. Throws Failure where the data cannot be read.
  Batch batch(std::int64_t step);
  // Where a batch of a step's size lies, without what is in it.
  Batch place(std::int64_t step) const;

  const BatchMemory& memory() const { return memory_; }
  std::int64_t steps_per_epoch() const { return plan_.steps_per_epoch(); }
  // Of the step's batch, of all ranks.
  std::int64_t whole_rows(std::int64_t step) const { return plan_.whole_rows(step); }
  std::int64_t partial_rows() const { return plan_.partial_rows(); }
  // Whether all steps see the same batch in the same place, in which case batch(0) says everything.
  bool full_batch() const { return maker_ == nullptr && steps_per_epoch() == 1 && plan_.data->order == nullptr; }
  // Whether a step waits while its batch is made.
  bool makes_batches() const { return maker_ != nullptr && !prefetcher_; }
  // Whether all batches of all epochs were laid out one after the other.
  bool lays_out() const { return laid_out_ > 0; }
  int helper_threads() const { return prefetcher_ ? 1 : 0; }

  // Of streamed data: reads rows of the data out of turn, between runs; null for resident data.
  StreamReader* stream_reader() { return stream_reader_ ? &*stream_reader_ : nullptr; }
  // How many rows the stream's memory cap leaves for those.
  std::int64_t spare_rows() const { return spare_rows_; }

  std::size_t x_row_bytes() const { return plan_.x_row_bytes(); }
  std::size_t target_row_bytes() const { return plan_.target_row_bytes(); }

 private:
  void show_data();
  void lay_out();
  void stream(const LoaderSettings& settings);
  void allocate(std::int64_t slots);
  std::byte* memory_for(std::size_t bytes);
  void make_with(std::unique_ptr<BatchMaker> maker, const LoaderSettings& settings);
  Prefetcher::Slot slot(std::int64_t index) const;

  BatchPlan plan_;
  BatchMemory memory_;
  // The loader's own memory, where it has any: batch after batch, each at a multiple of these.
  std::size_t x_stride_ = 0;
  std::size_t target_stride_ = 0;
  std::byte* own_x_ = nullptr;
  std::byte* own_targets_ = nullptr;
  Allocate allocate_;
  std::vector<AlignedBytes> heap_;  // what allocate_ did not make
  std::int64_t laid_out_ = 0;       // batches; 0: not laid out
  std::optional<StreamReader> stream_reader_;
  std::int64_t spare_rows_ = 0;
  std::unique_ptr<BatchMaker> maker_;
  std::optional<Prefetcher> prefetcher_;
};

}  // namespace gdbench::loader
