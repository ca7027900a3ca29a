// Trains by a region: whole steps, as many as are asked for, as one call of the backend.
#pragma once

#include <optional>
#include <vector>

#include "implementations/strategies/common/row_order.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/graph/compilation.h"

namespace gdbench::strategies::graph {

class RegionTrainer final : public Trainer {
 public:
  // `hoists`: what is the same in all steps is computed once.
  explicit RegionTrainer(const Setup& setup, bool hoists = false);
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // How the region gets a step's batch.
  enum class Batches {
    same,      // there is one
    numbered,  // by the numbers of its rows in the data
    loaded     // it lies where the loader put it, a step at a time
  };

  Batches choose_batches() const;
  std::optional<RowOrder> numbered_rows() const;
  RowOrder* order() { return order_ ? &*order_ : nullptr; }
  backends::RegionCall* bind(std::int64_t rows);
  void set_batch(backends::Buffer x, backends::Buffer targets, backends::Buffer scalars);
  void run_call(std::int64_t rows, std::int64_t steps);
  // As many steps as one call can do, at most `wanted`; not where batches are loaded. Returns how many.
  std::int64_t run_together(std::int64_t wanted);
  // Where they are.
  void run_loaded(const BatchFeed::Batch& batch);

  bool hoists_;
  const gdbench_settings& settings_;
  Compilation compilation_;
  Batches batches_;
  std::optional<RowOrder> order_;  // numbered
  std::int64_t window_;            // steps of a call
  StepWindows windows_;
  backends::RegionCall* full_;
  backends::RegionCall* partial_;  // null where all batches are of one size
  std::vector<backends::Buffer> buffers_;
};

}  // namespace gdbench::strategies::graph
