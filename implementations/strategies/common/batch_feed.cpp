#include "implementations/strategies/common/batch_feed.h"

namespace gdbench::strategies {
namespace {

// Rows without features are free to slice and to gather. What is resident on a device is gathered there, unless it is
// laid out ahead.
gdbench_data loaded_by(const Session& session, const gdbench_data& data, const gdbench_settings& settings,
                       Features features) {
  gdbench_data loaded = data;
  if (features == Features::csr) loaded.features = 0;
  const bool resident = !session.host_memory() && read_transfer(settings) == Transfer::resident;
  if (resident && loader::read_loader_settings(settings).loader == loader::Loader::automatic) loaded.order = nullptr;
  return loaded;
}

}  // namespace

BatchFeed::BatchFeed(Session& session, const gdbench_data& data, const gdbench_problem& problem,
                     const gdbench_settings& settings, Features features, bool gather)
    : session_(session),
      loaded_(loaded_by(session, data, settings, features)),
      loader_(loaded_, problem.batch_rows, catalogue::takes_labels(problem), loader::read_loader_settings(settings)) {
  if (!session.host_memory()) {
    device_.emplace(session, data, problem, loader_, read_transfer(settings), gather);
    return;
  }
  const loader::BatchMemory& memory = loader_.memory();
  if (features == Features::csr) {
    csr_.emplace(data, problem.batch_rows);
    sparse_x_ = matrix_of(csr_->batch(0));
    x_ = session.import_host(&sparse_x_, sizeof(sparse_x_));
  } else {
    x_ = session.import_host(memory.x, memory.x_bytes);
  }
  targets_ = session.import_host(memory.targets, memory.target_bytes);
}

double BatchFeed::copied_bytes(std::int64_t rows) const {
  if (!loader_.makes_batches() && (!device_ || !(device_->copies() || device_->gathered_rows() != nullptr))) return 0;
  const double entries = csr_ ? csr_->mean_entries(rows) * static_cast<double>(csr_->entry_bytes()) : 0;
  return 2 * (entries +
              static_cast<double>(rows) * static_cast<double>(loader_.x_row_bytes() + loader_.target_row_bytes()));
}

}  // namespace gdbench::strategies
