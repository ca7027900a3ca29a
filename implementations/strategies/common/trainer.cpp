#include "implementations/strategies/common/trainer.h"

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::strategies {

using implementations::Failure;

TrainerBase::TrainerBase(const Setup& setup, TrainerForm form)
    : setup_(setup),
      session_(setup.backend, setup.settings),
      parameters_(session_, setup.problem),
      update_each_(implementations::option_value(setup.settings, kUpdateOption.key) == "each") {
  if (catalogue::scales_loss(catalogue::dtype_of(setup.problem))) scaling_.emplace(setup.problem);
  if (setup.settings.ranks != nullptr) {
    exchange_.emplace(session_, parameters_, setup_.problem, setup_.settings);
    exchange_->add_end(exchanging_);
  }
  if (catalogue::task_of(setup.problem) == catalogue::Task::forward) loss_sum_.emplace(session_, setup_.problem);
  if (!finishes_steps() || form.own_update) return;
  Program update;
  bind_update(update);
  set_update(std::move(update));
}

void TrainerBase::set_update(Program program) {
  updating_ = std::move(program);
  parameters_.follow_steps(updating_);
}

void TrainerBase::set_state(const gdbench_state& state) {
  gdbench_state model = state;
  if (loss_sum_ && model.parameter_count > 0) loss_sum_->set_state(state.parameters[--model.parameter_count]);
  parameters_.set_state(model);
  step_ = state.step;
  if (!scaling_) return;
  scaling_->set_state(state);
  session_.set_loss_scale(scaling_->scale());
}

void TrainerBase::get_state(gdbench_state& state) {
  gdbench_state model = state;
  if (loss_sum_ && model.parameter_count > 0) loss_sum_->get_state(state.parameters[--model.parameter_count]);
  parameters_.get_state(model);
  state.step = step_;
  if (scaling_) scaling_->get_state(state);
}

void TrainerBase::finish_gradients() {
  exchanging_.run();
  const bool finite = !scaling_ || session_.unscale(parameters_.gradients(), parameters_.block_size());
  if (finite) updating_.run();
  count_scaled(finite);
}

void TrainerBase::finish_step(CallClock& clock) {
  exchanging_.run_profiled(clock);
  bool finite = true;
  if (scaling_) {
    clock.end_step();  // a device is waited for
    const double start = now_ns();
    finite = session_.unscale(parameters_.gradients(), parameters_.block_size());
    clock.add({"unscale", catalogue::Phase::update, {}, whole_model(problem())}, now_ns() - start);
  }
  if (finite) updating_.run_profiled(clock);
  count_scaled(finite);
}

void TrainerBase::count_scaled(bool finite) {
  if (!scaling_) return;
  scaling_->count(finite);
  session_.set_loss_scale(scaling_->scale());
}

void TrainerBase::add_update(Program& program) {
  if (!finishes_steps()) bind_update(program);
}

void TrainerBase::bind_update(Program& program) {
  if (update_each_) {
    parameters_.add_update_of_each(program);
  } else {
    parameters_.add_update(program);
  }
}

UpdateSteps::UpdateSteps(const Setup& setup) : TrainerBase(setup) {
  // An option that changes nothing is refused: a cell is what its id says.
  if (!loader::is_default(loader::read_loader_settings(setup.settings))) {
    throw Failure(GDBENCH_UNSUPPORTED, "the task update has no batches, so no loader or prefetch");
  }
  parameters().set_gradients(data().x);
}

void UpdateSteps::run(std::uint64_t steps) {
  const bool varies = parameters().varies();
  parameters().set_step(step_);
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (varies) parameters().set_step(step_);
    program_.run();
    ++step_;
  }
}

double UpdateSteps::evaluate(std::int32_t /*split*/) {
  throw Failure(GDBENCH_UNSUPPORTED, "the task update has no loss");
}

void UpdateSteps::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  CallClock clock(session());
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double start = now_ns();
    parameters().set_step(step_);
    clock.add({"scalars", catalogue::Phase::update, {}, {}}, now_ns() - start);
    program_.run_profiled(clock);
    clock.end_step();
    ++step_;
  }
  clock.report(sink);
}

namespace {

Features features_of(const Setup& setup) {
  if (implementations::chosen<Features>(setup.settings, kFeaturesOption) == Features::dense) return Features::dense;
  if ((setup.backend.flags & backends::kSparse) == 0) {
    throw Failure(GDBENCH_UNSUPPORTED,
                  std::string("the backend ") + setup.backend.name + " has no products of csr features");
  }
  if (setup.problem.micro_batches > 1) {
    throw Failure(GDBENCH_UNSUPPORTED, "csr features cannot be divided into micro-batches");
  }
  if (!loader::is_default(loader::read_loader_settings(setup.settings))) {
    throw Failure(GDBENCH_UNSUPPORTED, "csr features need the loader auto, without prefetch");
  }
  return Features::csr;
}

}  // namespace

Trainer::Trainer(const Setup& setup, TrainerForm form)
    : TrainerBase(setup, form),
      feed_(session(), setup.data, setup.problem, setup.settings, features_of(setup), form.gathers) {
  if (catalogue::task_of(setup.problem) == catalogue::Task::gradients) {
    const std::int64_t outputs = setup.problem.layers[setup.problem.layer_count - 1].outputs;
    masks_.emplace(session(), catalogue::dtype_of(setup.problem), largest_part(), outputs);
  }
}

void Trainer::repeat(std::uint64_t steps, const Program& program) {
  if (!steps_are_alike()) return for_each_step(steps, [&program](const Batch&) { program.run(); });
  parameters().set_step(step_, skipped_steps());
  program.repeat(steps);
  count_steps(steps);
}

double Trainer::evaluate(std::int32_t split) {
  const Evaluation::Split rows = Evaluation::split_of(data(), feed_, split);
  std::optional<Evaluation>& evaluation = evaluations_[split];
  if (!evaluation) evaluation.emplace(session(), problem(), parameters(), rows);
  return parameters().at_average([&] { return evaluation->run(); });
}

std::int64_t Trainer::target_columns() const {
  if (catalogue::takes_labels(problem())) return 1;
  return problem().layers[problem().layer_count - 1].outputs;
}

}  // namespace gdbench::strategies
