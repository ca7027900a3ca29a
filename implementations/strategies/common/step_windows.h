// What a device reads that differs from step to step, for several steps at once: the scalars of each update and, where
// batches are gathered there, the rows of each batch. Both lie in the device's memory and are filled before the steps.
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/loader/batch_loader.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

class StepWindows {
 public:
  // For up to `steps` steps, whose rows are numbered by `rows`; null: nothing is gathered. All arguments outlive this.
  StepWindows(Session& session, Parameters& parameters, const RowOrder* rows, std::int64_t steps);

  // Fills them for steps `first` to `first` + `steps` - 1, whose batches have the same number of rows (steps_alike).
  void fill(std::int64_t first, std::int64_t steps);

  // The filled steps' scalars [steps] and rows [steps, rows]; the latter is null where nothing is gathered.
  backends::Buffer scalars() const { return scalars_; }
  backends::Buffer index() const { return index_; }
  bool gathers() const { return index_ != nullptr; }

 private:
  Session& session_;
  Parameters& parameters_;
  const RowOrder* rows_;
  backends::Buffer scalars_ = nullptr;
  backends::Buffer index_ = nullptr;
  std::vector<backends::UpdateScalars> host_scalars_;
  std::vector<std::uint32_t> host_index_;
  bool scalars_filled_ = false;
};

// Steps from `step` on whose batches have the same number of rows: all but an epoch's last step, or that one alone.
std::int64_t steps_alike(const loader::BatchLoader& loader, std::int64_t step);

}  // namespace gdbench::strategies
