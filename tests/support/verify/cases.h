// Problems with data and a start state, made from a seed, for the tests of the reference and the reference trajectory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/random.h"
#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify::testing {

struct Case {
  scenario::Problem problem;
  data::Dataset dataset;
  scenario::State start;
};

// The same on every machine, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(split_mix_64(state_) >> 11) * 0x1p-53);
  }
  // Both ends included.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(uniform(0, 1) * static_cast<double>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

// Fills a dataset of the problem's dtype. `x` [rows, features] and `targets` [rows, outputs], or class indices [rows]
// for softmax, are rounded to the dtype; `order` [epochs, rows] may be empty.
data::Dataset make_dataset(const scenario::Problem& problem, const std::vector<double>& x,
                           const std::vector<double>& targets, const std::vector<std::uint32_t>& order);

// Random data (standardised features, targets of size about 1), a random order of two epochs where batches are smaller
// than the data, and initial parameters in +-sqrt(1 / inputs), for a problem whose layers, loss and sizes are set.
Case make_case(const scenario::Problem& problem, std::uint64_t seed);

// Any activations, loss, bias and sizes: up to 3 layers, 1 to 40 rows.
Case random_case(std::uint64_t seed, scenario::Dtype dtype);

// The same with any optimizer but muon, and weight decay.
Case random_optimizer_case(std::uint64_t seed, scenario::Dtype dtype);

// A short description for messages.
std::string describe(const scenario::Problem& problem);

// A problem with one loss, one hidden activation and the given widths: {features, hidden ..., outputs}.
scenario::Problem make_problem(const std::vector<std::int64_t>& widths, scenario::Activation hidden, bool bias,
                               scenario::Loss loss, std::int64_t rows, std::int64_t batch_rows, scenario::Dtype dtype,
                               double learning_rate);

}  // namespace gdbench::verify::testing
