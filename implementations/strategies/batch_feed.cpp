#include "implementations/strategies/batch_feed.h"

#include "implementations/failure.h"

namespace gdbench::strategies {

BatchFeed::BatchFeed(Session& session, const gdbench_data& data, std::int64_t batch_rows)
    : session_(session), loader_(data, batch_rows) {
  if (!session.host_memory()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches for a backend with its own memory");
  }
  // Step 0 starts where the data does, or in the loader's own batch buffers.
  const pipeline::Batch first = loader_.batch(0);
  const auto rows = static_cast<std::size_t>(loader_.gathers() ? batch_rows : data.rows);
  x_ = session.import_host(first.x, rows * loader_.x_row_bytes());
  targets_ = session.import_host(first.targets, rows * loader_.target_row_bytes());
}

double BatchFeed::copied_bytes(std::int64_t rows) const {
  if (!loader_.gathers()) return 0;
  return 2.0 * static_cast<double>(rows) * static_cast<double>(loader_.x_row_bytes() + loader_.target_row_bytes());
}

}  // namespace gdbench::strategies
