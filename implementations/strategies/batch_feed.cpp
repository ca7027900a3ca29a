#include "implementations/strategies/batch_feed.h"

#include "implementations/failure.h"

namespace gdbench::strategies {
namespace {

// Rows without features are free to slice and to gather.
gdbench_data loaded_by(const gdbench_data& data, Features features) {
  gdbench_data loaded = data;
  if (features == Features::csr) loaded.features = 0;
  return loaded;
}

}  // namespace

BatchFeed::BatchFeed(Session& session, const gdbench_data& data, std::int64_t batch_rows, Features features)
    : session_(session), loaded_(loaded_by(data, features)), loader_(loaded_, batch_rows) {
  if (!session.host_memory()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches for a backend with its own memory");
  }
  // Step 0 starts where the data does, or in the loader's own batch buffers.
  const pipeline::Batch first = loader_.batch(0);
  const auto rows = static_cast<std::size_t>(loader_.gathers() ? batch_rows : data.rows);
  if (features == Features::csr) {
    csr_.emplace(data, batch_rows);
    sparse_x_ = matrix_of(csr_->batch(0));
    x_ = session.import_host(&sparse_x_, sizeof(sparse_x_));
  } else {
    x_ = session.import_host(first.x, rows * loader_.x_row_bytes());
  }
  targets_ = session.import_host(first.targets, rows * loader_.target_row_bytes());
}

BatchFeed::Batch BatchFeed::sparse_batch(std::int64_t step, kernels::Buffer targets, std::int64_t rows) {
  sparse_x_ = matrix_of(csr_->batch(step));
  return {x_, targets, rows, kernels::Layout::sparse_csr, static_cast<std::int64_t>(csr_->mean_entries(rows))};
}

double BatchFeed::copied_bytes(std::int64_t rows) const {
  if (!loader_.gathers()) return 0;
  const double entries = csr_ ? csr_->mean_entries(rows) * static_cast<double>(csr_->entry_bytes()) : 0;
  return 2 * (entries +
              static_cast<double>(rows) * static_cast<double>(loader_.x_row_bytes() + loader_.target_row_bytes()));
}

kernels::CsrMatrix matrix_of(const pipeline::CsrFeatures::Rows& rows) {
  return {rows.row_offsets, rows.column_indices, rows.values};
}

}  // namespace gdbench::strategies
