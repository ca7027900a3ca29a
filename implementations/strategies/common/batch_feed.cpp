#include "implementations/strategies/common/batch_feed.h"

#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::strategies {

DeviceBatches::DeviceBatches(Session& session, const gdbench_data& data, const gdbench_problem& problem,
                             loader::BatchLoader& loader, Transfer transfer, bool gather)
    : session_(session),
      loader_(loader),
      rows_(data, loader::batching_of(problem), catalogue::takes_labels(problem),
            gather && problem.batch_rows < data.rows) {
  if (transfer != Transfer::resident) {
    prepare_copies(transfer);
    return;
  }
  if (loader.makes_batches() || loader.helper_threads() > 0) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches made on the host with transfer=resident");
  }
  show_all();
  if (rows_.has_numbers() && !loader.lays_out()) prepare_gathering();
}

void DeviceBatches::show_all() {
  const loader::BatchMemory& memory = loader_.memory();
  x_ = session_.import_host(memory.x, memory.x_bytes);
  targets_ = session_.import_host(memory.targets, memory.target_bytes);
}

void DeviceBatches::prepare_gathering() {
  mode_ = Mode::gathered;
  const auto entries = static_cast<std::size_t>(rows_.data().epochs * rows_.data().rows);
  order_ = session_.import_host(rows_.data().order, entries * sizeof(std::uint32_t));
  const auto rows = static_cast<std::size_t>(rows_.plan().batch.rows);
  batch_x_ = session_.allocate(rows * rows_.plan().x_row_bytes());
  batch_targets_ = session_.allocate(rows * rows_.plan().target_row_bytes());
  full_ = make_gathering(rows_.plan().batch.rows);
  full_index_ = full_.occurrences(order_);
  if (loader_.partial_rows() == 0) return;
  partial_ = make_gathering(loader_.partial_rows());
  partial_index_ = partial_.occurrences(order_);
}

Program DeviceBatches::make_gathering(std::int64_t rows) {
  Program program;
  backends::Request request{.op = backends::Op::gather, .dtype = catalogue::dtype_of(rows_.data())};
  program.add(
      session_, request, catalogue::Phase::data, {},
      {{x_, rows_.data().rows, rows_.data().features}, {order_, rows, 1}, {batch_x_, rows, rows_.data().features}});
  // Labels are moved as what they are, four bytes each.
  if (rows_.plan().labels) request.dtype = catalogue::Dtype::f32;
  const std::int64_t columns = rows_.plan().labels ? 1 : rows_.data().outputs;
  program.add(session_, request, catalogue::Phase::data, {},
              {{targets_, rows_.data().rows, columns}, {order_, rows, 1}, {batch_targets_, rows, columns}});
  return program;
}

void DeviceBatches::prepare_copies(Transfer transfer) {
  mode_ = Mode::copied;
  const auto rows = static_cast<std::size_t>(rows_.plan().batch.rows);
  batch_x_ = session_.allocate(rows * rows_.plan().x_row_bytes());
  batch_targets_ = session_.allocate(rows * rows_.plan().target_row_bytes());
  waits_ = transfer == Transfer::pinned && (loader_.makes_batches() || loader_.helper_threads() > 0);
}

void DeviceBatches::gather(backends::Buffer index, std::int64_t rows) {
  const bool whole = rows == rows_.plan().batch.rows;
  for (backends::Buffer* place : whole ? full_index_ : partial_index_) *place = index;
  (whole ? full_ : partial_).run();
}

Batch DeviceBatches::batch(std::int64_t step) {
  if (mode_ == Mode::slices) return place(step);
  if (mode_ == Mode::gathered) {
    const auto first = static_cast<std::size_t>(rows_.index(step) - rows_.data().order);
    gather(session_.slice(order_, first * sizeof(std::uint32_t)), rows_.plan().rows(step));
    return place(step);
  }
  if (waits_) session_.synchronise();
  const loader::Batch made = loader_.batch(step);
  const auto rows = static_cast<std::size_t>(made.rows);
  session_.enqueue_upload(batch_x_, made.x, rows * rows_.plan().x_row_bytes());
  session_.enqueue_upload(batch_targets_, made.targets, rows * rows_.plan().target_row_bytes());
  return {batch_x_, batch_targets_, made.rows, made.whole_rows};
}

Batch DeviceBatches::place(std::int64_t step) const {
  if (mode_ != Mode::slices) {
    return {batch_x_, batch_targets_, rows_.plan().rows(step), rows_.plan().whole_rows(step)};
  }
  const loader::BatchMemory& memory = loader_.memory();
  const loader::Batch at = loader_.place(step);
  const auto offset = [](const void* address, const std::byte* start) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - start);
  };
  return {session_.slice(x_, offset(at.x, memory.x)), session_.slice(targets_, offset(at.targets, memory.targets)),
          at.rows, at.whole_rows};
}

namespace {

Transfer read_transfer(const gdbench_settings& settings) {
  return implementations::chosen<Transfer>(settings, kTransferOption);
}

// Rows without features are free to slice and gather. Resident data are gathered on the device, unless laid out ahead.
gdbench_data loaded_by(const Session& session, const gdbench_data& data, const gdbench_settings& settings,
                       Features features) {
  gdbench_data loaded = data;
  if (features == Features::csr) loaded.features = 0;
  if (session.host_memory() || read_transfer(settings) != Transfer::resident) return loaded;
  if (loader::read_loader_settings(settings).loader == loader::Loader::automatic) loaded.order = nullptr;
  return loaded;
}

// Batches that a device reads by itself lie in page-locked memory from the start: a step copies them once.
loader::Allocate memory_of_batches(Session& session, const gdbench_settings& settings) {
  if (session.host_memory() || read_transfer(settings) != Transfer::pinned) return {};
  return [&session](std::size_t bytes) { return session.allocate_pinned(bytes); };
}

}  // namespace

BatchFeed::BatchFeed(Session& session, const gdbench_data& data, const gdbench_problem& problem,
                     const gdbench_settings& settings, Features features, bool gather)
    : session_(session),
      loaded_(loaded_by(session, data, settings, features)),
      loader_(loaded_, loader::batching_of(problem), catalogue::takes_labels(problem),
              loader::read_loader_settings(settings), memory_of_batches(session, settings)) {
  if (!session.host_memory()) {
    device_.emplace(session, data, problem, loader_, read_transfer(settings), gather);
    return;
  }
  const loader::BatchMemory& memory = loader_.memory();
  if (features == Features::csr) {
    csr_.emplace(data, loader::batching_of(problem), loader::rank_of(settings));
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
