#include "harness/questions/fairness/training.h"

#include <algorithm>
#include <cmath>

namespace gdbench::fairness {

namespace {

constexpr double kSameRate = 1e-6;  // relative; people write rates with a few digits

bool close(double x, double y) { return std::abs(x - y) <= kSameRate * std::max(std::abs(x), std::abs(y)); }

double factor_of(Loss loss) { return loss == Loss::half_mse ? 0.5 : 1; }

Reduction reduction_of(const Description& description) {
  if (description.loss_reduction) return *description.loss_reduction;
  return *description.loss == Loss::sum_of_squares ? Reduction::sum : Reduction::mean;
}

// By what the sum over rows and outputs is divided. Nothing where the sizes that it takes are not known; rows are taken
// for 1 unless `needs_rows`: both sides divide by them.
std::optional<double> divisor_of(const Description& description, bool needs_rows) {
  const Reduction reduction = reduction_of(description);
  if (reduction == Reduction::sum) return 1;
  const std::optional<std::int64_t> rows = needs_rows ? description.step_rows() : 1;
  if (!rows) return std::nullopt;
  const auto divisor = static_cast<double>(*rows);
  // The mean of a cross entropy is over rows anyway.
  if (reduction == Reduction::mean_over_rows || *description.loss == Loss::softmax_cross_entropy) return divisor;
  const std::optional<std::int64_t> outputs = description.outputs();
  if (!outputs) return std::nullopt;
  return divisor * static_cast<double>(*outputs);
}

struct GradientRatio {
  bool equal = true;
  std::optional<double> value = 1;  // A's gradients over B's; nothing where sizes are not known
};

// Of the losses' definitions alone. Both are said, and both are of squares or both are cross entropies.
GradientRatio ratio_by_loss(const Description& a, const Description& b) {
  GradientRatio ratio;
  ratio.value = factor_of(*a.loss) / factor_of(*b.loss);
  if (reduction_of(a) != reduction_of(b)) {
    const bool needs_rows = reduction_of(a) == Reduction::sum || reduction_of(b) == Reduction::sum;
    const std::optional<double> divisor_a = divisor_of(a, needs_rows);
    const std::optional<double> divisor_b = divisor_of(b, needs_rows);
    if (!divisor_a || !divisor_b) return {false, std::nullopt};
    ratio.value = *ratio.value * *divisor_b / *divisor_a;
  }
  ratio.equal = close(*ratio.value, 1);
  return ratio;
}

double undivided_parts(const Description& description) {
  const std::optional<Accumulation>& accumulation = description.accumulation;
  return accumulation && !accumulation->divides ? static_cast<double>(accumulation->steps) : 1;
}

bool adds_decay_to_gradient(const Description& description) {
  const std::optional<WeightDecay>& decay = description.optimizer.weight_decay;
  return decay && decay->value != 0 && !decay->decoupled;
}

// What a factor in the gradients does to the parameters.
enum class Response {
  linear,     // it is a factor of the learning rate
  none,       // the update divides by the gradients' size
  not_known,  // no kind, other kinds, or a decay that is added to the gradient
};

Response response_of(const Description& a, const Description& b) {
  const std::optional<OptimizerKind> kind = a.optimizer.kind;
  if (!kind || kind != b.optimizer.kind || adds_decay_to_gradient(a) || adds_decay_to_gradient(b)) {
    return Response::not_known;
  }
  const bool linear =
      *kind == OptimizerKind::sgd || *kind == OptimizerKind::momentum || *kind == OptimizerKind::nesterov;
  return linear ? Response::linear : Response::none;
}

void find_gradient_factors(Finder& finder, const GradientRatio& by_loss, std::optional<double> rate_for_b) {
  const Description& a = finder.a;
  const Description& b = finder.b;
  if (!by_loss.equal) {
    const auto text = [](const Description& side) {
      return text_of(*side.loss) + " (" + text_of(reduction_of(side)) + ")";
    };
    Finding& finding = finder.unequal(Rule::gradient_factor, "loss", text(a), text(b));
    finding.ratio = by_loss.value;
    finding.learning_rate = rate_for_b;
  }
  if (close(undivided_parts(a), undivided_parts(b))) return;
  for (const Side side : kBothSides) {
    const double parts = undivided_parts(finder.of(side));
    if (parts == 1) continue;
    Finding& finding = finder.fault(Rule::undivided_accumulation, "accumulation/divides", side,
                                    text_of(finder.of(side).accumulation->steps));
    finding.ratio = parts;
    finding.learning_rate = rate_for_b;
  }
}

// Learning rates and gradients together: what counts is their product where the optimizer is linear in the gradient.
void find_gradients_and_rates(Finder& finder) {
  const Description& a = finder.a;
  const Description& b = finder.b;
  const std::optional<double>& rate_a = a.optimizer.learning_rate;
  const std::optional<double>& rate_b = b.optimizer.learning_rate;
  const bool both_rates = finder.both("optimizer/learning_rate", rate_a, rate_b);
  const bool one_function =
      a.loss && b.loss && (*a.loss == Loss::softmax_cross_entropy) == (*b.loss == Loss::softmax_cross_entropy);
  const GradientRatio by_loss = one_function ? ratio_by_loss(a, b) : GradientRatio{};
  std::optional<double> ratio;
  if (by_loss.value) ratio = *by_loss.value * undivided_parts(a) / undivided_parts(b);
  const Response response = response_of(a, b);
  const bool scaled = !ratio || !close(*ratio, 1);

  if (scaled && response != Response::none) {
    const bool rate_helps = ratio && rate_a && response == Response::linear;
    const bool made_up_for = rate_helps && rate_b && close(*rate_a * *ratio, *rate_b);
    if (!made_up_for) {
      find_gradient_factors(finder, by_loss, rate_helps ? std::optional(*rate_a * *ratio) : std::nullopt);
    }
    if (rate_helps) return;  // the rate for B has been named
  }
  if (both_rates && !close(*rate_a, *rate_b)) {
    Finding& finding =
        finder.unequal(Rule::learning_rate, "optimizer/learning_rate", text_of(*rate_a), text_of(*rate_b));
    finding.ratio = *rate_a / *rate_b;
  }
}

void find_optimizer_constants(Finder& finder) {
  const OptimizerDescription& a = finder.a.optimizer;
  const OptimizerDescription& b = finder.b.optimizer;
  if (a.kind && b.kind && *a.kind != *b.kind) return;  // the constants of two kinds are not to be equal
  const auto value_of = [](const OptimizerDescription& optimizer, const std::string& name) {
    const auto found = optimizer.constants.find(name);
    return found == optimizer.constants.end() ? std::optional<double>() : found->second;
  };
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    const std::string name = constant->name;
    if (!a.constants.contains(name) && !b.constants.contains(name)) continue;
    finder.expect_equal(Rule::optimizer_constant, "optimizer/" + name, value_of(a, name), value_of(b, name));
  }
  if (a.epsilon_place || b.epsilon_place) {
    finder.expect_equal(Rule::optimizer_constant, "optimizer/epsilon_place", a.epsilon_place, b.epsilon_place);
  }
  if (a.weight_decay || b.weight_decay) {
    finder.expect_equal(Rule::optimizer_constant, "optimizer/weight_decay", a.weight_decay, b.weight_decay);
  }
}

std::string initial_text(const Initial& initial) {
  if (initial.same) return "same";
  std::string text = initial.distribution;
  if (initial.seed) text += (text.empty() ? "seed " : ", seed ") + text_of(*initial.seed);
  return text.empty() ? "drawn" : text;
}

// Only arrays that were copied are proven to be equal.
void find_initial(Finder& finder) {
  const std::optional<Initial>& a = finder.a.initial;
  const std::optional<Initial>& b = finder.b.initial;
  if (!finder.both("initial", a, b) || (a->same && b->same)) return;
  const bool seeds_differ = a->seed && b->seed && *a->seed != *b->seed;
  const bool distributions_differ =
      !a->distribution.empty() && !b->distribution.empty() && a->distribution != b->distribution;
  if (seeds_differ || distributions_differ) {
    finder.unequal(Rule::initial, "initial", initial_text(*a), initial_text(*b));
  } else {
    finder.unknown("initial", UnknownReason::not_proven);
  }
}

// Rows of full batches are what a step processes, which is another rule's.
void find_rows(Finder& finder) {
  const bool both_full = finder.a.batch == kFullBatch && finder.b.batch == kFullBatch;
  const std::optional<std::int64_t>& a = finder.a.rows;
  const std::optional<std::int64_t>& b = finder.b.rows;
  if (finder.both("rows", a, b) && *a != *b && !both_full) {
    finder.unequal(Rule::rows, "rows", text_of(*a), text_of(*b));
  }
}

}  // namespace

void find_unequal_training(Finder& finder) {
  find_gradients_and_rates(finder);
  find_initial(finder);
  find_rows(finder);
  finder.expect_equal(Rule::normalisation, "normalisation", finder.a.normalisation, finder.b.normalisation);
  find_optimizer_constants(finder);
}

}  // namespace gdbench::fairness
