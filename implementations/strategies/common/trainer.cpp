#include "implementations/strategies/common/trainer.h"

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::strategies {

TrainerBase::TrainerBase(const Setup& setup)
    : setup_(setup),
      session_(setup.backend, setup.settings.compute_threads),
      parameters_(session_, setup.problem),
      update_each_(implementations::option_value(setup.settings, kUpdateOption.key) == "each") {}

void TrainerBase::set_state(const gdbench_state& state) {
  parameters_.set_state(state);
  step_ = state.step;
}

void TrainerBase::get_state(gdbench_state& state) {
  parameters_.get_state(state);
  state.step = step_;
}

void TrainerBase::add_update(Program& program) {
  if (update_each_) {
    parameters_.add_update_of_each(program);
  } else {
    parameters_.add_update(program);
  }
}

namespace {

Features features_of(const Setup& setup) {
  if (implementations::option_value(setup.settings, kFeaturesOption.key) != "csr") return Features::dense;
  if ((setup.backend.flags & backends::kSparse) == 0) {
    throw implementations::Failure(
        GDBENCH_UNSUPPORTED, std::string("the backend ") + setup.backend.name + " has no products of csr features");
  }
  if (setup.problem.micro_batches > 1) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "csr features cannot be divided into micro-batches");
  }
  if (!loader::is_default(loader::read_loader_settings(setup.settings))) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "csr features need the loader auto, without prefetch");
  }
  return Features::csr;
}

}  // namespace

Trainer::Trainer(const Setup& setup, bool gather)
    : TrainerBase(setup), feed_(session(), setup.data, setup.problem, setup.settings, features_of(setup), gather) {
  if (catalogue::task_of(setup.problem) == catalogue::Task::gradients) {
    const std::int64_t outputs = setup.problem.layers[setup.problem.layer_count - 1].outputs;
    masks_.emplace(session(), catalogue::dtype_of(setup.problem), largest_part(), outputs);
  }
}

double Trainer::evaluate(std::int32_t split) {
  const Evaluation::Split rows = Evaluation::split_of(data(), feed_, split);
  std::optional<Evaluation>& evaluation = evaluations_[split];
  if (!evaluation) evaluation.emplace(session(), problem(), parameters(), rows);
  return evaluation->run();
}

std::int64_t Trainer::target_columns() const {
  if (catalogue::takes_labels(problem())) return 1;
  return problem().layers[problem().layer_count - 1].outputs;
}

}  // namespace gdbench::strategies
