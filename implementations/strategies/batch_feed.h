// Turns the loader's batches (host memory) into a backend's buffers.
#pragma once

#include <cstdint>
#include <optional>

#include "implementations/pipeline/batch_loader.h"
#include "implementations/pipeline/csr_features.h"
#include "implementations/strategies/micro_batches.h"
#include "implementations/strategies/program.h"
#include "implementations/strategies/session.h"

namespace gdbench::strategies {

// How the first layer's operand is stored.
enum class Features { dense, csr };

class BatchFeed {
 public:
  struct Batch {
    kernels::Buffer x = nullptr;        // [rows, features]
    kernels::Buffer targets = nullptr;  // [rows, outputs], or labels [rows]
    std::int64_t rows = 0;
    kernels::Layout x_layout = kernels::Layout::row_major;
    std::int64_t x_entries = 0;  // of sparse_csr, on average over batches

    Matrix x_matrix(std::int64_t features) const { return {x, rows, features, x_layout, x_entries}; }
  };

  // Data and the loader's batch buffers are shown to the backend as they are; for csr the features are compressed here.
  // Throws Failure, as the loader does, and GDBENCH_UNSUPPORTED for a backend whose memory is not the host's.
  BatchFeed(Session& session, const gdbench_data& data, std::int64_t batch_rows, Features features);

  // The batch of a step counted from 0; valid until the next call. Never allocates.
  Batch batch(std::int64_t step) {
    const pipeline::Batch batch = loader_.batch(step);
    const auto first = static_cast<std::size_t>(batch.first_row);
    const kernels::Buffer targets = session_.slice(targets_, first * loader_.target_row_bytes());
    if (csr_) return sparse_batch(step, targets, batch.rows);
    return {session_.slice(x_, first * loader_.x_row_bytes()), targets, batch.rows};
  }
  // The rows of a part of a batch. Of csr features the whole batch is the only part.
  Batch part(const Batch& batch, const MicroBatch& part) const {
    if (part.rows == batch.rows) return batch;
    const auto first = static_cast<std::size_t>(part.first);
    return {session_.slice(batch.x, first * loader_.x_row_bytes()),
            session_.slice(batch.targets, first * loader_.target_row_bytes()), part.rows};
  }
  // Bytes that making a batch of `rows` rows reads and writes.
  double copied_bytes(std::int64_t rows) const;

  const pipeline::BatchLoader& loader() const { return loader_; }
  // Null where the features are dense.
  const pipeline::CsrFeatures* csr() const { return csr_ ? &*csr_ : nullptr; }

 private:
  Batch sparse_batch(std::int64_t step, kernels::Buffer targets, std::int64_t rows);

  Session& session_;
  gdbench_data loaded_;  // what the loader delivers: for csr the targets alone
  pipeline::BatchLoader loader_;
  std::optional<pipeline::CsrFeatures> csr_;
  kernels::CsrMatrix sparse_x_;  // csr: what x_ shows, the batch of the last step asked for
  kernels::Buffer x_ = nullptr;
  kernels::Buffer targets_ = nullptr;
};

kernels::CsrMatrix matrix_of(const pipeline::CsrFeatures::Rows& rows);

}  // namespace gdbench::strategies
