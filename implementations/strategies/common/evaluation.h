// The loss over all rows of a split, in pieces that bound the memory it takes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/forward_pass.h"

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
    const loader::CsrFeatures* csr = nullptr;  // read instead of x where given
    // Set where the rows are read from a file piece by piece, of at most so many rows; x and targets are null then.
    loader::StreamReader* reader = nullptr;
    std::int64_t max_rows = 0;
  };

  // `index` as in Strategy::evaluate; the training rows are the feed's. Throws Failure for an unknown or empty split.
  static Split split_of(const gdbench_data& data, BatchFeed& feed, std::int32_t index);

  Evaluation(Session& session, const gdbench_problem& problem, const Parameters& parameters, const Split& split);

  // The mean loss with the parameters as they are.
  double run();

 private:
  struct Piece {
    Program program;
    std::int64_t rows;
    std::int64_t count;  // of pieces that follow each other in the same buffers; 1 where rows lie in memory
  };
  void add_piece(const Matrix& x, backends::Buffer targets, std::int64_t count);
  void add_resident(const Split& split);
  void add_streamed(const Split& split);
  Matrix features_of(const Split& split, backends::Buffer x, std::int64_t first, std::int64_t rows);

  Session& session_;
  const gdbench_problem& problem_;
  std::int64_t piece_rows_;
  ForwardPass forward_;
  backends::Buffer loss_;
  std::vector<Piece> pieces_;
  std::deque<backends::CsrMatrix> sparse_;  // csr: what the pieces' buffers show
  std::int64_t rows_;
  loader::StreamReader* reader_;
  loader::AlignedBytes x_;  // a piece's, where it is read from a file
  loader::AlignedBytes targets_;
};

}  // namespace gdbench::strategies
