// Turns the loader's batches (host memory) into a backend's buffers.
#pragma once

#include <cstdint>

#include "implementations/pipeline/batch_loader.h"
#include "implementations/strategies/micro_batches.h"
#include "implementations/strategies/session.h"

namespace gdbench::strategies {

class BatchFeed {
 public:
  struct Batch {
    kernels::Buffer x = nullptr;        // [rows, features]
    kernels::Buffer targets = nullptr;  // [rows, outputs], or labels [rows]
    std::int64_t rows = 0;
  };

  // Nothing is copied: data and the loader's batch buffers are shown to the backend as they are. Throws Failure, as the
  // loader does, and GDBENCH_UNSUPPORTED for a backend whose memory is not the host's.
  BatchFeed(Session& session, const gdbench_data& data, std::int64_t batch_rows);

  // The batch of a step counted from 0; valid until the next call. Never allocates.
  Batch batch(std::int64_t step) {
    const pipeline::Batch batch = loader_.batch(step);
    const auto first = static_cast<std::size_t>(batch.first_row);
    return {session_.slice(x_, first * loader_.x_row_bytes()),
            session_.slice(targets_, first * loader_.target_row_bytes()), batch.rows};
  }
  // The rows of a part of a batch.
  Batch part(const Batch& batch, const MicroBatch& part) const {
    if (part.first == 0) return {batch.x, batch.targets, part.rows};
    const auto first = static_cast<std::size_t>(part.first);
    return {session_.slice(batch.x, first * loader_.x_row_bytes()),
            session_.slice(batch.targets, first * loader_.target_row_bytes()), part.rows};
  }
  // Bytes that making a batch of `rows` rows reads and writes.
  double copied_bytes(std::int64_t rows) const;

  const pipeline::BatchLoader& loader() const { return loader_; }

 private:
  Session& session_;
  pipeline::BatchLoader loader_;
  kernels::Buffer x_ = nullptr;
  kernels::Buffer targets_ = nullptr;
};

}  // namespace gdbench::strategies
