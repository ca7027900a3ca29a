#include "implementations/strategies/evaluation.h"

#include <algorithm>

#include "implementations/failure.h"
#include "implementations/pipeline/batch_loader.h"
#include "implementations/strategies/batch_feed.h"

namespace gdbench::strategies {
namespace {

// Large enough that a piece is dominated by arithmetic, small enough that activations stay a few MiB.
constexpr std::int64_t kPieceRows = 4096;

}  // namespace

Evaluation::Evaluation(Session& session, const gdbench_problem& problem, const Parameters& parameters,
                       const Split& split)
    : session_(session),
      forward_(session, problem, parameters, std::min(split.rows, kPieceRows)),
      loss_(session.allocate(sizeof(double))),
      rows_(split.rows) {
  const kernels::Buffer x = session.import_host(split.x, static_cast<std::size_t>(split.rows) * split.x_row_bytes);
  const kernels::Buffer targets =
      session.import_host(split.targets, static_cast<std::size_t>(split.rows) * split.target_row_bytes);
  const std::int64_t target_columns =
      problem.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY ? 1 : problem.layers[problem.layer_count - 1].outputs;
  for (std::int64_t first = 0; first < split.rows; first += kPieceRows) {
    const auto offset = static_cast<std::size_t>(first);
    const std::int64_t rows = std::min(kPieceRows, split.rows - first);
    Piece piece{{}, rows};
    forward_.add(piece.program, features_of(split, x, first, rows));
    forward_.add_loss(piece.program, {session.slice(targets, offset * split.target_row_bytes), rows, target_columns},
                      {loss_, 1, 1});
    pieces_.push_back(std::move(piece));
  }
}

Matrix Evaluation::features_of(const Split& split, kernels::Buffer x, std::int64_t first, std::int64_t rows) {
  const std::int64_t features = forward_.layer(0).inputs;
  if (split.csr == nullptr) {
    return {session_.slice(x, static_cast<std::size_t>(first) * split.x_row_bytes), rows, features};
  }
  kernels::CsrMatrix& sparse = sparse_.emplace_back(matrix_of(split.csr->rows_from(first)));
  return {session_.import_host(&sparse, sizeof(sparse)), rows, features, kernels::Layout::sparse_csr,
          static_cast<std::int64_t>(split.csr->mean_entries(rows))};
}

Evaluation::Split Evaluation::split_of(const gdbench_data& data, const pipeline::CsrFeatures* csr, std::int32_t index) {
  if (index != 0 && index != 1) throw implementations::Failure(GDBENCH_INVALID, "unknown split");
  const bool training = index == 0;
  const void* y = training ? data.y : data.validation_y;
  const void* labels = training ? data.labels : data.validation_labels;
  Split split;
  split.x = training ? data.x : data.validation_x;
  split.targets = labels != nullptr ? labels : y;
  split.rows = training ? data.rows : data.validation_rows;
  const std::size_t element = pipeline::element_size(static_cast<gdbench_dtype>(data.dtype));
  split.x_row_bytes = static_cast<std::size_t>(data.features) * element;
  split.target_row_bytes = labels != nullptr ? sizeof(std::int32_t) : static_cast<std::size_t>(data.outputs) * element;
  if (training) split.csr = csr;
  if (split.rows == 0) throw implementations::Failure(GDBENCH_INVALID, "there are no validation rows");
  return split;
}

double Evaluation::run() {
  double total = 0;
  for (const Piece& piece : pieces_) {
    piece.program.run();
    double mean = 0;
    session_.download(loss_, &mean, sizeof(mean));
    total += mean * static_cast<double>(piece.rows);
  }
  return total / static_cast<double>(rows_);
}

}  // namespace gdbench::strategies
