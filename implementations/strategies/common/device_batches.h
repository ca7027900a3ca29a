// How batches get to a device, whose memory is not the host's.
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/loader/batch_loader.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/row_order.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

enum class Transfer {
  resident,  // all data are copied ahead; a step takes a slice of them, or gathers its rows on the device
  pageable,  // each step copies its batch from the host's memory
  pinned     // the same from memory whose pages are locked, which the device reads by itself
};

// The option of every strategy that reads batches, on devices only.
constexpr gdbench_option kTransferOption = {"transfer",
                                            GDBENCH_OPTION_CHOICE,
                                            0,
                                            "resident",
                                            "resident|pageable|pinned",
                                            "data on a device: copied there before the first step, or batch by batch "
                                            "in each step, from memory as it is or with "
                                            "its pages locked"};

// Throws Failure (GDBENCH_INVALID) for a value that is none.
Transfer read_transfer(const gdbench_settings& settings);

// A batch in the device's memory.
struct DeviceBatch {
  backends::Buffer x = nullptr;        // [rows, features]
  backends::Buffer targets = nullptr;  // [rows, outputs], or labels [rows]
  std::int64_t rows = 0;
};

class DeviceBatches {
 public:
  // `loader` delivers batches of `data` in the host's memory. With Transfer::resident its own order is none, as
  // `data.order` is followed here. `gather`: rows are gathered although they lie together, so that every step reads its
  // batch from the same place. Throws Failure: GDBENCH_UNSUPPORTED where the host would have to make what is resident.
  DeviceBatches(Session& session, const gdbench_data& data, const gdbench_problem& problem, loader::BatchLoader& loader,
                Transfer transfer, bool gather);

  // As BatchFeed's.
  DeviceBatch batch(std::int64_t step);
  DeviceBatch place(std::int64_t step) const;
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

}  // namespace gdbench::strategies
