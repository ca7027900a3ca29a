#include "implementations/strategies/common/trainer.h"

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::strategies {

void Trainer::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  TrainerBase::prepare(problem, settings);
  const Features features =
      implementations::option_value(settings, kFeaturesOption.key) == "csr" ? Features::csr : Features::dense;
  if (features == Features::csr && (backend().flags & backends::kSparse) == 0) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, std::string(backend().name) + " has no csr features");
  }
  if (features == Features::csr && problem.micro_batches > 1) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "csr features in micro-batches");
  }
  if (features == Features::csr && !loader::is_default(loader::read_loader_settings(settings))) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "csr features with a loader other than auto, or with prefetch");
  }
  feed_.emplace(session(), data(), problem, settings, features, gather_);
  if (catalogue::task_of(problem) == catalogue::Task::gradients) {
    const std::int64_t outputs = problem.layers[problem.layer_count - 1].outputs;
    masks_.emplace(session(), catalogue::dtype_of(problem), largest_part(), outputs);
  }
}

double Trainer::evaluate(std::int32_t split) {
  const Evaluation::Split rows = Evaluation::split_of(data(), *feed_, split);
  std::optional<Evaluation>& evaluation = evaluations_[split];
  if (!evaluation) evaluation.emplace(session(), problem(), parameters(), rows);
  return evaluation->run();
}

std::int64_t Trainer::target_columns() const {
  if (catalogue::takes_labels(problem())) return 1;
  return problem().layers[problem().layer_count - 1].outputs;
}

}  // namespace gdbench::strategies
