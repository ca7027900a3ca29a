// Trains by a region: whole steps, as many as are asked for, as one call of the backend.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"

namespace gdbench::strategies {

class RegionTrainer : public Trainer {
 public:
  void set_state(const gdbench_state& state) override;
  void get_state(gdbench_state& state) override;
  double evaluate(std::int32_t split) override;
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  using Trainer::Trainer;

  // To be called once, by the constructor. `order` numbers the rows of the steps' batches and outlives this; null where
  // all steps see the same rows. `bind` makes the region of steps on batches of so many rows.
  void prepare(const RowOrder* order, const std::function<backends::RegionCall*(std::int64_t rows)>& bind);
  // Where the region finds a step's rows, and its scalars: in the windows or elsewhere.
  void set_batch(backends::Buffer x, backends::Buffer targets) { set_batch(x, targets, windows_->scalars()); }
  void set_batch(backends::Buffer x, backends::Buffer targets, backends::Buffer scalars);
  void run_call(std::int64_t rows, std::int64_t steps);
  // One call is all phases of all layers, which no clock outside of it separates.
  ProfiledAs profiled_as() const { return {"training region", catalogue::Phase::other, {}, whole_model(problem())}; }

 private:
  // As many steps as one call can do, at most `wanted`: on batches of one size, in one window. Returns how many.
  std::int64_t run_together(std::int64_t wanted);
  // Makes `call` the one that has the state; null: the parameters' blocks have it, and may be written.
  void move_state_to(backends::RegionCall* call);
  void store_state();

  std::int64_t window_ = 0;  // steps of a call
  std::optional<StepWindows> windows_;
  backends::RegionCall* full_ = nullptr;
  backends::RegionCall* partial_ = nullptr;  // null where all batches are of one size
  backends::RegionCall* holder_ = nullptr;   // of the state, if it is not in the parameters' blocks alone
  std::vector<backends::Buffer> buffers_;
};

}  // namespace gdbench::strategies
