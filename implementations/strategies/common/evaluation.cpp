#include "implementations/strategies/common/evaluation.h"

#include <algorithm>

#include "implementations/common/failure.h"

namespace gdbench::strategies {
namespace {

// Large enough that a piece is dominated by arithmetic, small enough that activations stay a few MiB.
constexpr std::int64_t kPieceRows = 4096;

std::int64_t rows_of_a_piece(const Evaluation::Split& split) {
  const std::int64_t rows = std::min(split.rows, kPieceRows);
  return split.reader == nullptr ? rows : std::min(rows, split.max_rows);
}

}  // namespace

Evaluation::Evaluation(Session& session, const gdbench_problem& problem, const Parameters& parameters,
                       const Split& split)
    : session_(session),
      problem_(problem),
      piece_rows_(rows_of_a_piece(split)),
      forward_(session, problem, parameters, piece_rows_),
      loss_(session.allocate(sizeof(double))),
      rows_(split.rows),
      reader_(split.reader) {
  if (reader_ == nullptr) {
    add_resident(split);
  } else {
    add_streamed(split);
  }
}

void Evaluation::add_piece(const Matrix& x, backends::Buffer targets, std::int64_t count) {
  const std::int64_t target_columns =
      catalogue::takes_labels(problem_) ? 1 : problem_.layers[problem_.layer_count - 1].outputs;
  Piece piece{{}, x.rows, count};
  forward_.add(piece.program, x);
  forward_.add_loss(piece.program, {targets, x.rows, target_columns}, {loss_, 1, 1});
  pieces_.push_back(std::move(piece));
}

void Evaluation::add_resident(const Split& split) {
  const auto all = static_cast<std::size_t>(split.rows);
  const backends::Buffer x = session_.import_host(split.x, all * split.x_row_bytes);
  const backends::Buffer targets = session_.import_host(split.targets, all * split.target_row_bytes);
  for (std::int64_t first = 0; first < split.rows; first += piece_rows_) {
    const std::int64_t rows = std::min(piece_rows_, split.rows - first);
    add_piece(features_of(split, x, first, rows),
              session_.slice(targets, static_cast<std::size_t>(first) * split.target_row_bytes), 1);
  }
}

void Evaluation::add_streamed(const Split& split) {
  const auto rows = static_cast<std::size_t>(piece_rows_);
  x_ = loader::allocate_aligned(rows * split.x_row_bytes);
  targets_ = loader::allocate_aligned(rows * split.target_row_bytes);
  const backends::Buffer x = session_.import_host(x_.get(), rows * split.x_row_bytes);
  const backends::Buffer targets = session_.import_host(targets_.get(), rows * split.target_row_bytes);
  const std::int64_t features = forward_.layer(0).inputs;
  add_piece({x, piece_rows_, features}, targets, split.rows / piece_rows_);
  const std::int64_t rest = split.rows % piece_rows_;
  if (rest != 0) add_piece({x, rest, features}, targets, 1);
}

Matrix Evaluation::features_of(const Split& split, backends::Buffer x, std::int64_t first, std::int64_t rows) {
  const std::int64_t features = forward_.layer(0).inputs;
  if (split.csr == nullptr) {
    return {session_.slice(x, static_cast<std::size_t>(first) * split.x_row_bytes), rows, features};
  }
  backends::CsrMatrix& sparse = sparse_.emplace_back(matrix_of(split.csr->rows_from(first)));
  return {session_.import_host(&sparse, sizeof(sparse)), rows, features, backends::Layout::sparse_csr,
          static_cast<std::int64_t>(split.csr->mean_entries(rows))};
}

Evaluation::Split Evaluation::split_of(const gdbench_data& data, BatchFeed& feed, std::int32_t index) {
  if (index != 0 && index != 1) throw implementations::Failure(GDBENCH_INVALID, "unknown split");
  const bool training = index == 0;
  const void* y = training ? data.y : data.validation_y;
  const void* labels = training ? data.labels : data.validation_labels;
  Split split;
  split.x = training ? data.x : data.validation_x;
  split.targets = labels != nullptr ? labels : y;
  split.rows = training ? data.rows : data.validation_rows;
  split.x_row_bytes = static_cast<std::size_t>(data.features) * catalogue::size_of(catalogue::dtype_of(data));
  split.target_row_bytes = feed.loader().target_row_bytes();
  if (training) {
    split.csr = feed.csr();
    split.reader = feed.loader().stream_reader();
    split.max_rows = feed.loader().spare_rows();
  }
  if (split.rows == 0) throw implementations::Failure(GDBENCH_INVALID, "there are no validation rows");
  return split;
}

double Evaluation::run() {
  double total = 0;
  std::int64_t first = 0;
  for (const Piece& piece : pieces_) {
    for (std::int64_t i = 0; i < piece.count; ++i) {
      if (reader_ != nullptr) reader_->read(first, piece.rows, x_.get(), targets_.get());
      piece.program.run();
      double mean = 0;
      session_.download(loss_, &mean, sizeof(mean));
      total += mean * static_cast<double>(piece.rows);
      first += piece.rows;
    }
  }
  return total / static_cast<double>(rows_);
}

}  // namespace gdbench::strategies
