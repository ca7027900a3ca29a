// The loss over all rows of a split, in pieces that bound the memory it takes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "implementations/pipeline/csr_features.h"
#include "implementations/strategies/forward_pass.h"

namespace gdbench::strategies {

class Evaluation {
 public:
  // The rows of a split. `x` is [rows, features], `targets` [rows, outputs] or int32 labels [rows]; host memory.
  struct Split {
    const void* x = nullptr;
    const void* targets = nullptr;
    std::int64_t rows = 0;
    std::size_t x_row_bytes = 0;
    std::size_t target_row_bytes = 0;
    const pipeline::CsrFeatures* csr = nullptr;  // read instead of x where given
  };

  // `index` as in Strategy::evaluate, `csr` the training rows' features or null. Throws Failure where the split is
  // unknown or has no rows.
  static Split split_of(const gdbench_data& data, const pipeline::CsrFeatures* csr, std::int32_t index);

  Evaluation(Session& session, const gdbench_problem& problem, const Parameters& parameters, const Split& split);

  // The mean loss with the parameters as they are.
  double run();

 private:
  struct Piece {
    Program program;
    std::int64_t rows;
  };
  Matrix features_of(const Split& split, kernels::Buffer x, std::int64_t first, std::int64_t rows);

  Session& session_;
  ForwardPass forward_;
  kernels::Buffer loss_;
  std::vector<Piece> pieces_;
  std::deque<kernels::CsrMatrix> sparse_;  // csr: what the pieces' buffers show
  std::int64_t rows_;
};

}  // namespace gdbench::strategies
