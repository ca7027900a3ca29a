#include "implementations/strategies/common/parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "implementations/common/failure.h"
#include "implementations/common/mixed_precision/stochastic_rounding.h"
#include "implementations/loader/batch_loader.h"

namespace gdbench::strategies {
namespace {

using implementations::Failure;

constexpr std::size_t kWindowSteps = 1024;

}  // namespace

Parameters::Parameters(Session& session, const gdbench_problem& problem)
    : session_(session),
      optimizer_(*problem.optimizer),
      dtype_(catalogue::dtype_of(problem)),
      rounding_seed_(problem.rounding_seed),
      first_correction_(optimizer_.beta1),
      second_correction_(optimizer_.beta2),
      momentum_(optimizer_.beta1, optimizer_.momentum_decay),
      rectification_(optimizer_.beta2),
      average_share_(optimizer_) {
  catalogue::for_each_parameter(problem,
                                [&](auto... of_parameter) { places_.push_back(place(problem, of_parameter...)); });
  values_ = session.allocate(block_bytes_);
  gradients_ = session.allocate(block_bytes_);
  for (std::size_t slot = 0; slot < catalogue::slot_count(catalogue::kind_of(optimizer_)); ++slot) {
    slots_.push_back(session.allocate(block_bytes_));
  }
  scalars_ = session.allocate(sizeof(backends::UpdateScalars));
  steps_differ_ = catalogue::row_of(catalogue::kind_of(optimizer_)).corrects_moments ||
                  session.parameter_rounding() == catalogue::ParameterRounding::stochastic;
  varies_ = optimizer_.learning_rate_count > 1 || steps_differ_;
  if (catalogue::averages(catalogue::kind_of(optimizer_))) bind_average();
  if (varies_ && !session.host_memory()) {
    window_scalars_.resize(kWindowSteps);
    window_ = session.allocate(kWindowSteps * sizeof(backends::UpdateScalars));
  }
}

std::size_t Parameters::index_of(std::int64_t layer, LayerPart part) const {
  std::size_t index = 0;
  while (index < places_.size() && (places_[index].layer != layer || places_[index].part != part)) ++index;
  return index;
}

Range Parameters::parameters_of(std::int64_t layer) const {
  Range range = Range::of(static_cast<std::int64_t>(index_of(layer, LayerPart::weights)));
  while (range.last + 1 < std::ssize(places_) && places_[static_cast<std::size_t>(range.last) + 1].layer == layer) {
    ++range.last;
  }
  return range;
}

Parameters::Place Parameters::place(const gdbench_problem& problem, std::int64_t layer, LayerPart part,
                                    std::int64_t rows, std::int64_t columns) {
  Place place{0, rows, columns, layer, part, catalogue::moves_as_matrix(problem, layer, part)};
  const std::size_t alignment = std::min<std::size_t>(std::bit_ceil(bytes_of(place)), GDBENCH_ALIGNMENT);
  place.offset = (block_bytes_ + alignment - 1) / alignment * alignment;
  block_bytes_ = place.offset + bytes_of(place);
  return place;
}

std::size_t Parameters::bytes_of(const Place& place) const {
  return static_cast<std::size_t>(place.rows * place.columns) * catalogue::size_of(dtype_);
}

std::int64_t Parameters::block_size() const {
  return static_cast<std::int64_t>(block_bytes_ / catalogue::size_of(dtype_));
}

std::int64_t Parameters::offset(std::size_t parameter) const {
  return static_cast<std::int64_t>(places_[parameter].offset / catalogue::size_of(dtype_));
}

std::vector<std::int64_t> Parameters::layers() const {
  std::vector<std::int64_t> layers;
  for (const Place& place : places_) layers.push_back(place.layer);
  return layers;
}

Matrix Parameters::matrix(backends::Buffer block, std::size_t first, std::size_t end) const {
  if (end == first + 1) return matrix(block, places_[first]);
  const Place& last = places_[end - 1];
  const std::size_t bytes = last.offset + bytes_of(last) - places_[first].offset;
  return {session_.slice(block, places_[first].offset), 1,
          static_cast<std::int64_t>(bytes / catalogue::size_of(dtype_))};
}

void Parameters::bind_update(Program& program, std::size_t first, std::size_t end) {
  std::vector<Matrix> operands = {matrix(gradients_, first, end), scalars(), matrix(values_, first, end)};
  for (const backends::Buffer slot : slots_) operands.push_back(matrix(slot, first, end));
  std::vector<backends::NumberedEntries> numbered;
  std::int64_t number = 0;
  for (std::size_t parameter = 0; parameter < end; ++parameter) {
    const std::int64_t count = places_[parameter].rows * places_[parameter].columns;
    if (parameter >= first) numbered.push_back({offset(parameter) - offset(first), count, number});
    number += count;
  }
  const ModelPart part = {{places_[first].layer, places_[end - 1].layer},
                          {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) - 1},
                          GDBENCH_UPDATES_PARAMETERS};
  program.add(session_,
              backends::Request{.op = backends::Op::update,
                                .dtype = dtype_,
                                .optimizer = &optimizer_,
                                .parameter_rounding = session_.parameter_rounding(),
                                .rounding_seed = &step_seed_,
                                .numbered = numbered,
                                .moves_as_matrix = places_[first].moves_as_matrix},
              catalogue::Phase::update, part, operands);
}

void Parameters::add_update(Program& program) {
  for (std::size_t first = 0; first < places_.size();) {
    std::size_t end = first + 1;
    while (!places_[first].moves_as_matrix && end < places_.size() && !places_[end].moves_as_matrix) ++end;
    bind_update(program, first, end);
    first = end;
  }
}

void Parameters::add_update_of_each(Program& program) {
  for (std::size_t parameter = 0; parameter < places_.size(); ++parameter)
    bind_update(program, parameter, parameter + 1);
}

void Parameters::bind_average() {
  kept_ = session_.allocate(block_bytes_);
  const Matrix values{values_, 1, block_size()};
  const Matrix kept{kept_, 1, block_size()};
  const backends::Request copy{.op = backends::Op::combine, .dtype = dtype_, .beta = 0};
  backends::Request average = copy;
  average.beta = 1 - 1 / optimizer_.momentum;
  to_average_.add(session_, copy, catalogue::Phase::other, {}, {values, values, kept});
  to_average_.add(session_, average, catalogue::Phase::other, {}, {values, {slots_[0], 1, block_size()}, values});
  from_average_.add(session_, copy, catalogue::Phase::other, {}, {kept, kept, values});
}

void Parameters::set_gradients(const void* gradients) {
  const auto* from = static_cast<const std::byte*>(gradients);
  for (const Place& place : places_) {
    session_.upload(session_.slice(gradients_, place.offset), from, bytes_of(place));
    from += bytes_of(place);
  }
}

backends::UpdateScalars Parameters::scalars_of(std::int64_t step, std::int64_t update) {
  backends::UpdateScalars scalars;
  scalars.learning_rate = learning_rate(optimizer_, step);
  const catalogue::OptimizerKind kind = catalogue::kind_of(optimizer_);
  if (!catalogue::row_of(kind).corrects_moments) return scalars;
  if (kind == catalogue::OptimizerKind::schedule_free_sgd) {
    const double share = average_share_.at(update + 1);
    scalars.first_moment_factor = optimizer_.momentum * (1 - share);
    scalars.second_moment_root_factor = share;
    scalars.added_factor = 1 - scalars.first_moment_factor;
    return scalars;
  }
  scalars.second_moment_root_factor = 1 / std::sqrt(second_correction_.at(update + 1));
  if (kind == catalogue::OptimizerKind::nadam) {
    const MomentumSchedule::Factors factors = momentum_.at(update + 1);
    scalars.first_moment_factor = factors.of_moment;
    scalars.added_factor = factors.of_gradient;
    return scalars;
  }
  scalars.first_moment_factor = 1 / first_correction_.at(update + 1);
  const bool rectifies = kind == catalogue::OptimizerKind::radam;
  if (rectifies || catalogue::epsilon_place_of(optimizer_) == catalogue::EpsilonPlace::hat) {
    scalars.add_epsilon_before_correction();
  }
  if (rectifies) {
    const double factor = rectification_.at(update + 1);
    if (factor == 0) scalars.added_factor = 1 / first_correction_.at(update + 1);
    scalars.first_moment_factor *= factor;
  }
  return scalars;
}

void Parameters::set_step(std::int64_t step, std::int64_t skipped) {
  const double rate = learning_rate(optimizer_, step);
  const bool written = (written_step_ == step && written_skipped_ == skipped) || (written_step_ >= 0 && !steps_differ_);
  if (written && rate == written_rate_) return;
  written_step_ = step;
  if (session_.parameter_rounding() == catalogue::ParameterRounding::stochastic) {
    step_seed_ = implementations::split_mix_64(rounding_seed_, static_cast<std::uint64_t>(step));
  }
  written_rate_ = rate;
  const bool skips_alike = std::exchange(written_skipped_, skipped) == skipped;
  if (window_ != nullptr) return take_from_window(step, skipped, skips_alike);
  const backends::UpdateScalars scalars = scalars_of(step, step - skipped);
  session_.enqueue_upload(scalars_, &scalars, sizeof(scalars));
}

void Parameters::take_from_window(std::int64_t step, std::int64_t skipped, bool skips_alike) {
  const auto steps = static_cast<std::int64_t>(window_scalars_.size());
  if (!skips_alike || window_first_ < 0 || step < window_first_ || step >= window_first_ + steps) {
    for (std::int64_t i = 0; i < steps; ++i)
      window_scalars_[static_cast<std::size_t>(i)] = scalars_of(step + i, step + i - skipped);
    session_.enqueue_upload(window_, window_scalars_.data(), window_scalars_.size() * sizeof(backends::UpdateScalars));
    window_first_ = step;
  }
  scalars_ = session_.slice(window_, static_cast<std::size_t>(step - window_first_) * sizeof(backends::UpdateScalars));
  for (backends::Buffer* follower : followers_) *follower = scalars_;
}

void Parameters::follow_steps(Program& program) {
  const std::vector<backends::Buffer*> places = program.occurrences(scalars_);
  followers_.insert(followers_.end(), places.begin(), places.end());
}

void Parameters::check_shapes(const gdbench_state& state) const {
  const auto count = static_cast<std::int64_t>(places_.size());
  bool fits = state.parameter_count == count &&
              (state.slot_count == 0 || state.slot_count == static_cast<std::int64_t>(slots_.size()));
  for (std::int64_t i = 0; fits && i < count * (1 + state.slot_count); ++i) {
    const gdbench_tensor& tensor = i < count ? state.parameters[i] : state.slots[i - count];
    const Place& place = places_[static_cast<std::size_t>(i % count)];
    fits = tensor.rows == place.rows && tensor.columns == place.columns;
  }
  if (!fits) throw Failure(GDBENCH_INVALID, "the state's tensors do not have the shapes of the problem's parameters");
}

void Parameters::set_state(const gdbench_state& state) {
  check_shapes(state);
  const std::size_t count = places_.size();
  const std::vector<std::byte> zeros(state.slot_count == 0 && !slots_.empty() ? block_bytes_ : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const Place& at = places_[i];
    session_.enqueue_upload(session_.slice(values_, at.offset), state.parameters[i].data, bytes_of(at));
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      const void* from = zeros.empty() ? state.slots[slot * count + i].data : zeros.data();
      session_.enqueue_upload(session_.slice(slots_[slot], at.offset), from, bytes_of(at));
    }
  }
  session_.synchronise();  // once: a device is waited for longer than a small tensor takes
}

void Parameters::get_state(const gdbench_state& state) {
  check_shapes(state);
  const std::size_t count = places_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Place& at = places_[i];
    session_.download(session_.slice(values_, at.offset), state.parameters[i].data, bytes_of(at));
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(state.slot_count); ++slot) {
      session_.download(session_.slice(slots_[slot], at.offset), state.slots[slot * count + i].data, bytes_of(at));
    }
  }
}

}  // namespace gdbench::strategies
