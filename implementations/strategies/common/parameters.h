// Parameters, their gradients and the optimizer's slots in a backend's memory, and their transfer to and from the
// host's state tensors.
//
// All parameters lie in one block in the ABI's order, gradients and slots in blocks of the same layout, so that one
// elementwise update serves the whole model. A parameter starts at a multiple of its size rounded up to a power of two,
// at most GDBENCH_ALIGNMENT: small ones share a cache line, large ones are aligned. Gaps hold zeros and stay so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "implementations/strategies/common/moment_corrections.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

using catalogue::LayerPart;

class Parameters {
 public:
  // Zero until set_state.
  Parameters(Session& session, const gdbench_problem& problem);

  // A layer's parameters and their gradients. One that it does not have has a null buffer.
  Matrix value(std::int64_t layer, LayerPart part) const { return matrix(values_, layer, part); }
  Matrix gradient(std::int64_t layer, LayerPart part) const { return matrix(gradients_, layer, part); }
  Range parameters_of(std::int64_t layer) const;

  // What a profile says of a call that uses one of them so.
  ModelPart part_of(std::int64_t layer, LayerPart part, gdbench_parameter_use use) const {
    return part_of(index_of(layer, part), use);
  }
  ModelPart part_of(std::size_t parameter, gdbench_parameter_use use) const {
    return {Range::of(places_[parameter].layer), Range::of(static_cast<std::int64_t>(parameter)), use};
  }

  // The same by a parameter's index in the ABI's order; and what else its own update takes.
  Matrix value(std::size_t parameter) const { return matrix(values_, places_[parameter]); }
  Matrix gradient(std::size_t parameter) const { return matrix(gradients_, places_[parameter]); }
  Matrix slot(std::size_t parameter, std::size_t slot) const { return matrix(slots_[slot], places_[parameter]); }
  // The whole block of parameters, of each slot, and where parameters start in it; in entries.
  backends::Buffer values() const { return values_; }
  backends::Buffer slot_block(std::size_t slot) const { return slots_[slot]; }
  backends::Buffer gradients() const { return gradients_; }
  std::int64_t block_size() const;
  std::int64_t offset(std::size_t parameter) const;
  std::size_t parameter_count() const { return places_.size(); }
  std::vector<std::int64_t> layers() const;  // of each parameter
  // Of the step of the last set_step; they lie elsewhere from step to step where they vary on a device.
  Matrix scalars() const { return {scalars_, 1, 1}; }
  // Keeps the scalars among a program's operands at those of the step. The program's calls live as long as this.
  void follow_steps(Program& program);
  std::size_t slot_count() const { return slots_.size(); }

  // Appends the update of all parameters by their gradients: in one call, or in one call for each. A parameter that the
  // optimizer moves as a matrix has a call of its own.
  void add_update(Program& program);
  void add_update_of_each(Program& program);

  // Copies gradients that lie one after the other in the ABI's order, without gaps.
  void set_gradients(const void* gradients);

  // What the update of step `step` takes, update number `update`, counted from 0; cheapest for steps in their order.
  backends::UpdateScalars scalars_of(std::int64_t step, std::int64_t update);
  // Puts the scalars that the update reads in step `step` in place, where `skipped` steps before did not update; does
  // nothing where they are there.
  void set_step(std::int64_t step, std::int64_t skipped = 0);
  // Whether set_step has something to do at every step or never again after the first.
  bool varies() const { return varies_; }

  // Calls evaluate() with the parameters at which a loss is evaluated in the place of those at which gradients are
  // taken, where these are others, and returns what it does.
  template <class Evaluate>
  double at_average(const Evaluate& evaluate) {
    if (kept_ == nullptr) return evaluate();
    to_average_.run();
    const double loss = evaluate();
    from_average_.run();
    return loss;
  }

  // Copies the tensors; slots that the state does not have become zero. `step` is the caller's.
  void set_state(const gdbench_state& state);
  void get_state(const gdbench_state& state);

 private:
  struct Place {
    std::size_t offset = 0;  // bytes from the block's start
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t layer = 0;
    LayerPart part = LayerPart::weights;
    bool moves_as_matrix = false;  // see backends::Request
  };
  Place place(const gdbench_problem& problem, std::int64_t layer, LayerPart part, std::int64_t rows,
              std::int64_t columns);
  std::size_t index_of(std::int64_t layer, LayerPart part) const;  // past the end where there is none
  Matrix matrix(backends::Buffer block, std::int64_t layer, LayerPart part) const {
    const std::size_t index = index_of(layer, part);
    return index < places_.size() ? matrix(block, places_[index]) : Matrix();
  }
  Matrix matrix(backends::Buffer block, const Place& at) const {
    return {session_.slice(block, at.offset), at.rows, at.columns};
  }
  // Parameters from `first` to `end`: one by its shape, several as one row.
  Matrix matrix(backends::Buffer block, std::size_t first, std::size_t end) const;
  void bind_update(Program& program, std::size_t first, std::size_t end);
  void bind_average();
  void check_shapes(const gdbench_state& state) const;
  std::size_t bytes_of(const Place& place) const;
  // `skips_alike`: as many steps were skipped when the window was filled.
  void take_from_window(std::int64_t step, std::int64_t skipped, bool skips_alike);

  Session& session_;
  const gdbench_optimizer& optimizer_;
  catalogue::Dtype dtype_;
  std::uint64_t rounding_seed_;
  std::uint64_t step_seed_ = 0;  // of the step of the last set_step
  std::vector<Place> places_;    // in the ABI's order
  std::size_t block_bytes_ = 0;
  backends::Buffer values_ = nullptr;
  backends::Buffer gradients_ = nullptr;
  std::vector<backends::Buffer> slots_;
  backends::Buffer scalars_ = nullptr;
  // Where they vary on a device: those of many steps are written at once, since each copy takes as long as a kernel.
  backends::Buffer window_ = nullptr;
  std::vector<backends::UpdateScalars> window_scalars_;
  std::int64_t window_first_ = -1;
  std::vector<backends::Buffer*> followers_;
  BiasCorrection first_correction_;
  BiasCorrection second_correction_;
  MomentumSchedule momentum_;
  Rectification rectification_;
  AverageShare average_share_;
  // Where a loss is evaluated elsewhere: a copy of the parameters, the calls that make it and put the average in their
  // place, and those that put it back.
  backends::Buffer kept_ = nullptr;
  Program to_average_;
  Program from_average_;
  std::int64_t written_step_ = -1;
  std::int64_t written_skipped_ = 0;
  double written_rate_ = 0;
  bool steps_differ_ = false;  // in more than the learning rate
  bool varies_ = false;
};

}  // namespace gdbench::strategies
