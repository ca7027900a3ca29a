// Turns the loader's batches (host memory) into a backend's buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "implementations/pipeline/batch_loader.h"
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
  BatchFeed(Session& session, const gdbench_data& data, const gdbench_problem& problem,
            const gdbench_settings& settings);

  // Says which steps' batches come next.
  void start(std::int64_t first_step, std::uint64_t steps) { loader_.start(first_step, steps); }
  // The batch of a step counted from 0; valid until the next call. Never allocates. See BatchLoader::batch.
  Batch batch(std::int64_t step) { return shown(loader_.batch(step)); }
  // A batch of a step's size, for making calls: only what is in it is missing.
  Batch place(std::int64_t step) const { return shown(loader_.place(step)); }
  // Bytes that the step itself reads and writes in making a batch of `rows` rows.
  double copied_bytes(std::int64_t rows) const;

  pipeline::BatchLoader& loader() { return loader_; }
  const pipeline::BatchLoader& loader() const { return loader_; }

 private:
  Batch shown(const pipeline::Batch& batch) const {
    const pipeline::BatchMemory& memory = loader_.memory();
    return {session_.slice(x_, static_cast<std::size_t>(static_cast<const std::byte*>(batch.x) - memory.x)),
            session_.slice(targets_,
                           static_cast<std::size_t>(static_cast<const std::byte*>(batch.targets) - memory.targets)),
            batch.rows};
  }

  Session& session_;
  pipeline::BatchLoader loader_;
  kernels::Buffer x_ = nullptr;
  kernels::Buffer targets_ = nullptr;
};

}  // namespace gdbench::strategies
