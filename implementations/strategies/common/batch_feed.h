// Turns the loader's batches (host memory) into a backend's buffers, which on a device lie in a memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "implementations/loader/batch_loader.h"
#include "implementations/loader/csr_features.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

struct Batch {
  backends::Buffer x = nullptr;        // [rows, features]
  backends::Buffer targets = nullptr;  // [rows, outputs], or labels [rows]
  std::int64_t rows = 0;
  std::int64_t whole_rows = 0;  // of the step's batch, of which these are this rank's
  backends::Layout x_layout = backends::Layout::row_major;
  std::int64_t x_entries = 0;  // of sparse_csr, on average over batches

  Matrix x_matrix(std::int64_t features) const { return {x, rows, features, x_layout, x_entries}; }
};

// The values of kTransferOption.
enum class Transfer {
  resident,  // all data are copied ahead; a step takes a slice of them, or gathers its rows on the device
  pageable,  // each step copies its batch from the host's memory
  pinned     // the same from page-locked memory, which the device reads by itself: the loader's is
};

// The option of every strategy that reads batches, on devices only.
constexpr gdbench_option kTransferOption = {"transfer",
                                            GDBENCH_OPTION_CHOICE,
                                            0,
                                            "resident",
                                            "resident|pageable|pinned",
                                            "data on a device: copied there before the first step, or batch by batch "
                                            "in each step, from memory as it is or from page-locked memory, where "
                                            "they are put before the first step"};

// How batches get to a device.
class DeviceBatches {
 public:
  // `loader` delivers batches of `data` in the host's memory. With Transfer::resident it has no order, as
  // `data.order` is followed here. `gather`: rows are gathered although they lie together, so that every step reads its
  // batch from the same place. Throws Failure: GDBENCH_UNSUPPORTED where the host would have to make what is resident.
  DeviceBatches(Session& session, const gdbench_data& data, const gdbench_problem& problem, loader::BatchLoader& loader,
                Transfer transfer, bool gather);

  // As BatchFeed's.
  Batch batch(std::int64_t step);
  Batch place(std::int64_t step) const;
  // Whether all steps see the same batch in the same place.
  bool full_batch() const { return mode_ == Mode::slices && loader_.full_batch(); }
  bool copies() const { return mode_ == Mode::copied; }

  // With Transfer::resident: all of the data.
  backends::Buffer all_x() const { return x_; }
  backends::Buffer all_targets() const { return targets_; }

  // Where batches are gathered: the rows of each step, and the gathering of any such. Null where they are not.
  const RowOrder* gathered_rows() const { return mode_ == Mode::gathered ? &rows_ : nullptr; }
  void gather(backends::Buffer index, std::int64_t rows);

 private:
  enum class Mode { slices, gathered, copied };

  void show_all();
  void prepare_gathering();
  void prepare_copies(Transfer transfer);
  Program make_gathering(std::int64_t rows);

  Session& session_;
  loader::BatchLoader& loader_;
  RowOrder rows_;
  Mode mode_ = Mode::slices;
  bool waits_ = false;            // copied: the loader's buffer must not be made anew while the device reads it
  backends::Buffer x_ = nullptr;  // slices and gathered: all of it
  backends::Buffer targets_ = nullptr;
  backends::Buffer order_ = nullptr;    // gathered: all epochs' indices
  backends::Buffer batch_x_ = nullptr;  // gathered and copied: one batch
  backends::Buffer batch_targets_ = nullptr;
  Program full_;  // gathered: of a whole batch and of an epoch's smaller last one
  Program partial_;
  std::vector<backends::Buffer*> full_index_;
  std::vector<backends::Buffer*> partial_index_;
};

// How the first layer's operand is stored.
enum class Features { dense, csr };

inline backends::CsrMatrix matrix_of(const loader::CsrFeatures::Rows& rows) {
  return {rows.row_offsets, rows.column_indices, rows.values};
}

class BatchFeed {
 public:
  // On a CPU nothing is copied except for csr, whose features are compressed here: data and the loader's batch buffers
  // are shown to the backend as they are. For a device see DeviceBatches, also for `gather`. Both throw Failure.
  BatchFeed(Session& session, const gdbench_data& data, const gdbench_problem& problem,
            const gdbench_settings& settings, Features features, bool gather);

  // Says which steps' batches come next.
  void start(std::int64_t first_step, std::uint64_t steps) { loader_.start(first_step, steps); }
  // The batch of a step counted from 0; valid until the next call. Never allocates. See BatchLoader::batch.
  Batch batch(std::int64_t step) {
    if (device_) return device_->batch(step);
    if (csr_) sparse_x_ = matrix_of(csr_->batch(step));
    return shown(loader_.batch(step));
  }
  // A batch of a step's size, for making calls: only what is in it is missing.
  Batch place(std::int64_t step) const { return device_ ? device_->place(step) : shown(loader_.place(step)); }
  // Whether all steps see the same batch in the same place.
  bool full_batch() const { return device_ ? device_->full_batch() : loader_.full_batch(); }
  // The rows of a part of a batch. Of csr features the whole batch is the only part.
  Batch part(const Batch& batch, const MicroBatch& part) const {
    if (part.rows == batch.rows) return batch;
    const auto first = static_cast<std::size_t>(part.first);
    return {session_.slice(batch.x, first * loader_.x_row_bytes()),
            session_.slice(batch.targets, first * loader_.target_row_bytes()), part.rows, batch.whole_rows};
  }
  // Bytes that the step itself reads and writes in making a batch of `rows` rows.
  double copied_bytes(std::int64_t rows) const;

  // Null on a CPU.
  DeviceBatches* device() { return device_ ? &*device_ : nullptr; }
  loader::BatchLoader& loader() { return loader_; }
  const loader::BatchLoader& loader() const { return loader_; }
  // Null where the features are dense.
  const loader::CsrFeatures* csr() const { return csr_ ? &*csr_ : nullptr; }

 private:
  Batch shown(const loader::Batch& batch) const {
    const loader::BatchMemory& memory = loader_.memory();
    const backends::Buffer targets = session_.slice(
        targets_, static_cast<std::size_t>(static_cast<const std::byte*>(batch.targets) - memory.targets));
    if (csr_) {
      const auto entries = static_cast<std::int64_t>(csr_->mean_entries(batch.rows));
      return {x_, targets, batch.rows, batch.whole_rows, backends::Layout::sparse_csr, entries};
    }
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(batch.x) - memory.x);
    return {session_.slice(x_, offset), targets, batch.rows, batch.whole_rows};
  }

  Session& session_;
  gdbench_data loaded_;  // what the loader delivers: for csr the targets alone
  loader::BatchLoader loader_;
  std::optional<DeviceBatches> device_;
  std::optional<loader::CsrFeatures> csr_;
  backends::CsrMatrix sparse_x_;  // csr: what x_ shows, the batch of the last step asked for
  backends::Buffer x_ = nullptr;
  backends::Buffer targets_ = nullptr;
};

}  // namespace gdbench::strategies
