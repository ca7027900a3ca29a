// The optimizers of the catalogue (catalogue.h): a row for each update rule of gdbench_optimizer_kind, with the
// constants that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/least_functions.h"

namespace gdbench::catalogue {

// The values are plugin.h's, which says what each one is.
enum class OptimizerKind : std::int32_t {
  sgd = GDBENCH_SGD,
  momentum = GDBENCH_MOMENTUM,
  nesterov = GDBENCH_NESTEROV,
  adagrad = GDBENCH_ADAGRAD,
  rmsprop = GDBENCH_RMSPROP,
  adam = GDBENCH_ADAM,
  adamw = GDBENCH_ADAMW,
  lion = GDBENCH_LION,
  nadam = GDBENCH_NADAM,
  radam = GDBENCH_RADAM,
  muon = GDBENCH_MUON,
  schedule_free_sgd = GDBENCH_SCHEDULE_FREE_SGD
};
enum class EpsilonPlace : std::int32_t {
  outside = GDBENCH_EPSILON_OUTSIDE,
  hat = GDBENCH_EPSILON_HAT,
  inside = GDBENCH_EPSILON_INSIDE,
  own = 3  // of scenarios alone: where each implementation puts it
};

// What a step's update is given; the update rules are those of gdbench_optimizer_kind.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::sgd;
  std::vector<double> learning_rates = {0.01};  // of step t: entry t, later the last one
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double rho = 0.99;
  double epsilon = 1e-8;
  EpsilonPlace epsilon_place = EpsilonPlace::outside;
  double momentum_decay = 0.004;
  double adamw_rate_factor = 0.015;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  // always so for a kind that says so
};

// A number that optimizers are given in addition to the learning rate and the weight decay.
template <class Struct>
using Number = double Struct::*;
struct OptimizerConstant {
  const char* name;
  Number<Optimizer> member;
  Number<gdbench_optimizer> abi_member;
  bool is_share;  // the weight of the past in a running mean: at least 0 and below 1; otherwise any number above 0
};
inline constexpr OptimizerConstant kMomentum = {"momentum", &Optimizer::momentum, &gdbench_optimizer::momentum, true};
inline constexpr OptimizerConstant kBeta1 = {"beta1", &Optimizer::beta1, &gdbench_optimizer::beta1, true};
inline constexpr OptimizerConstant kBeta2 = {"beta2", &Optimizer::beta2, &gdbench_optimizer::beta2, true};
inline constexpr OptimizerConstant kRho = {"rho", &Optimizer::rho, &gdbench_optimizer::rho, true};
inline constexpr OptimizerConstant kEpsilon = {"epsilon", &Optimizer::epsilon, &gdbench_optimizer::epsilon, false};
inline constexpr OptimizerConstant kMomentumDecay = {"momentum_decay", &Optimizer::momentum_decay,
                                                     &gdbench_optimizer::momentum_decay, false};
inline constexpr OptimizerConstant kAdamwRateFactor = {"adamw_rate_factor", &Optimizer::adamw_rate_factor,
                                                       &gdbench_optimizer::adamw_rate_factor, false};
inline constexpr const OptimizerConstant* kOptimizerConstants[] = {&kMomentum, &kBeta1,         &kBeta2,          &kRho,
                                                                   &kEpsilon,  &kMomentumDecay, &kAdamwRateFactor};

// A constant that a kind reads; fallbacks are PyTorch's, except the momentum (0 there) and Lion's, its paper's. Muon's
// factor is the quotient of the two rates (3e-4 and 0.02) that its author's code has by default.
struct OptimizerKey {
  const OptimizerConstant& constant;
  double fallback;
};
inline constexpr OptimizerKey kMomentumKeys[] = {{kMomentum, 0.9}};
inline constexpr OptimizerKey kAdagradKeys[] = {{kEpsilon, 1e-10}};
inline constexpr OptimizerKey kRmspropKeys[] = {{kRho, 0.99}, {kEpsilon, 1e-8}};
inline constexpr OptimizerKey kAdamKeys[] = {{kBeta1, 0.9}, {kBeta2, 0.999}, {kEpsilon, 1e-8}};
inline constexpr OptimizerKey kLionKeys[] = {{kBeta1, 0.9}, {kBeta2, 0.99}};
inline constexpr OptimizerKey kNadamKeys[] = {
    {kBeta1, 0.9}, {kBeta2, 0.999}, {kEpsilon, 1e-8}, {kMomentumDecay, 0.004}};
inline constexpr OptimizerKey kMuonKeys[] = {
    {kMomentum, 0.95}, {kBeta1, 0.9}, {kBeta2, 0.999}, {kEpsilon, 1e-8}, {kAdamwRateFactor, 0.015}};

struct OptimizerRow {
  OptimizerKind value;
  const char* name;
  std::size_t slots;  // state tensors per parameter
  std::span<const OptimizerKey> keys;
  int operations;                                    // per entry of a parameter, without weight decay
  LeastFunctions least = {};                         // each decay of a slot, each square, what the step's number scales
  double weight_decay = 0;                           // where nothing is said
  bool always_decoupled = false;                     // its weight decay is never part of the gradient
  bool corrects_moments = false;                     // by factors that depend on the number of the step
  EpsilonPlace other_place = EpsilonPlace::outside;  // where its epsilon may stand as well
};
inline constexpr OptimizerRow kOptimizers[] = {
    {OptimizerKind::sgd, "sgd", 0, {}, 2},
    {OptimizerKind::momentum, "momentum", 1, kMomentumKeys, 4, {1, 0, 0, 0}},
    {OptimizerKind::nesterov, "nesterov", 1, kMomentumKeys, 6, {1, 0, 0, 0}},
    // 2 for the sum of squares; root, addition, division, product, subtraction.
    {OptimizerKind::adagrad, "adagrad", 1, kAdagradKeys, 7, {1, 0, 1, 1}, 0, false, false, EpsilonPlace::inside},
    // 4 for the mean of squares.
    {OptimizerKind::rmsprop, "rmsprop", 1, kRmspropKeys, 9, {2, 0, 1, 1}, 0, false, false, EpsilonPlace::inside},
    // 3 and 4 for the moments, 2 for their corrections.
    {OptimizerKind::adam, "adam", 2, kAdamKeys, 14, {4, 0, 1, 1}, 0, false, true, EpsilonPlace::hat},
    {OptimizerKind::adamw, "adamw", 2, kAdamKeys, 14, {4, 0, 1, 1}, 0.01, true, true, EpsilonPlace::hat},
    // 3 for what the sign is taken of, 3 for the momentum; sign, product, subtraction.
    {OptimizerKind::lion, "lion", 1, kLionKeys, 9, {2, 0, 0, 0}, 0, true},
    // As adam, and 2 for the gradient's own part.
    {OptimizerKind::nadam, "nadam", 2, kNadamKeys, 16, {5, 0, 1, 1}, 0, false, true},
    // 3 and 4 for the moments; root, addition, division, addition of the undivided part, product, subtraction.
    {OptimizerKind::radam, "radam", 2, kAdamKeys, 13, {4, 0, 1, 1}, 0, false, true},
    // As adamw. Of a matrix that is moved as one: 3 for the momentum and 3 for what is orthogonalised, 2 for its norm,
    // 3 to divide, scale and subtract; its products are counted apart.
    {OptimizerKind::muon, "muon", 2, kMuonKeys, 14, {4, 0, 1, 1}, 0.1, true, true},
    // 4 for the parameter, 3 for the slot.
    {OptimizerKind::schedule_free_sgd, "schedule_free_sgd", 1, kMomentumKeys, 7, {2, 0, 0, 0}, 0, false, true},
};

// Whether a loss over a split is that at other parameters than gradients are taken at.
constexpr bool averages(OptimizerKind kind) { return kind == OptimizerKind::schedule_free_sgd; }

}  // namespace gdbench::catalogue
