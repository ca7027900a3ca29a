// Seeded problems of every kind that a scenario can pose.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gdbench::conformance {

// A scenario as its file would say it. Seeds 0, 1, 2 ... visit each loss with each uniform dtype in turn, then again
// with the task gradients where the loss is a squared error; everything else is drawn: linear regression or one to four
// layers, activations, widths from 1 to beyond a vector's, rows, bias, full batches, shuffled or ordered mini-batches
// with a partial last one, batches of one row, batches in parts, every optimizer with and without decay and schedule.
nlohmann::json random_scenario(std::uint64_t seed);

// The same of the task train in a mixed dtype; with scales of the loss of which the largest overflow.
nlohmann::json random_mixed_training(std::uint64_t seed, const std::string& dtype);

// The same for linear regression by plain sgd alone.
nlohmann::json random_linear_regression(std::uint64_t seed);

// Linear regression on full batches, the one problem of a policy that computes X'X once.
nlohmann::json random_full_batch_regression(std::uint64_t seed);

}  // namespace gdbench::conformance
