#include "implementations/strategies/graph/region_batches.h"

namespace gdbench::strategies::graph {

Batches choose_batches(const BatchFeed& feed, const gdbench_data& data, const gdbench_settings& settings) {
  if (feed.full_batch()) return Batches::same;
  const bool default_loader = loader::is_default(loader::read_loader_settings(settings));
  return data.stream == nullptr && default_loader ? Batches::numbered : Batches::loaded;
}

Batch numbered_data(Session& session, const BatchFeed& feed, const RowOrder& order) {
  const gdbench_data& data = order.data();
  const auto rows = static_cast<std::size_t>(data.rows);
  return {session.import_host(data.x, rows * feed.loader().x_row_bytes()),
          session.import_host(order.plan().targets(), rows * feed.loader().target_row_bytes())};
}

}  // namespace gdbench::strategies::graph
