#include "implementations/strategies/batch_feed.h"

#include "implementations/failure.h"

namespace gdbench::strategies {

BatchFeed::BatchFeed(Session& session, const gdbench_data& data, const gdbench_problem& problem,
                     const gdbench_settings& settings)
    : session_(session),
      loader_(data, problem.batch_rows, problem.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY,
              pipeline::read_loader_settings(settings)) {
  if (!session.host_memory()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches for a backend with its own memory");
  }
  const pipeline::BatchMemory& memory = loader_.memory();
  x_ = session.import_host(memory.x, memory.x_bytes);
  targets_ = session.import_host(memory.targets, memory.target_bytes);
}

double BatchFeed::copied_bytes(std::int64_t rows) const {
  if (!loader_.makes_batches()) return 0;
  return 2.0 * static_cast<double>(rows) * static_cast<double>(loader_.x_row_bytes() + loader_.target_row_bytes());
}

}  // namespace gdbench::strategies
