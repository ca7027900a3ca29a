#include "tests/support/implementations/optimizer_case.h"

namespace gdbench {

std::vector<OptimizerCase> optimizer_cases() {
  std::vector<OptimizerCase> cases;
  for (const catalogue::OptimizerRow& row : catalogue::kOptimizers) {
    cases.push_back({row.value, 0, false});
    cases.push_back({row.value, 0.125, false});
    if (!row.always_decoupled) cases.push_back({row.value, 0.125, true});
  }
  for (const catalogue::OptimizerRow& row : catalogue::kOptimizers) {
    if (row.other_place != catalogue::EpsilonPlace::outside) cases.push_back({row.value, 0, false, row.other_place});
  }
  return cases;
}

std::vector<OptimizerCase> entrywise_cases() {
  std::vector<OptimizerCase> cases = optimizer_cases();
  std::erase_if(cases, [](const OptimizerCase& one) { return one.kind == catalogue::OptimizerKind::muon; });
  return cases;
}

scenario::Optimizer optimizer_of(const OptimizerCase& values, const std::vector<double>& learning_rates) {
  return {.kind = values.kind,
          .learning_rates = learning_rates,
          .momentum = 0.8,
          .beta1 = 0.9,
          .beta2 = 0.999,
          .rho = 0.95,
          .epsilon = 1e-3,
          .epsilon_place = values.epsilon_place,
          .momentum_decay = 0.5,
          .weight_decay = values.weight_decay,
          .decoupled_weight_decay = values.decoupled || catalogue::row_of(values.kind).always_decoupled};
}

gdbench_optimizer abi_of(const scenario::Optimizer& optimizer) {
  gdbench_optimizer made{};
  made.struct_size = sizeof(made);
  made.kind = static_cast<std::int32_t>(optimizer.kind);
  const bool has_choice = !catalogue::row_of(optimizer.kind).always_decoupled;
  made.decoupled_weight_decay = has_choice && optimizer.decoupled_weight_decay ? 1 : 0;
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    made.*constant->abi_member = optimizer.*constant->member;
  }
  made.epsilon_place = static_cast<std::int32_t>(optimizer.epsilon_place);
  made.weight_decay = optimizer.weight_decay;
  made.learning_rates = optimizer.learning_rates.data();
  made.learning_rate_count = static_cast<std::int64_t>(optimizer.learning_rates.size());
  return made;
}

}  // namespace gdbench
