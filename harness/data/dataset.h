// A scenario's data in shared memory, made or read once by the coordinator and inherited by every worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/data/converted.h"
#include "harness/data/stream.h"
#include "harness/scenario/problem.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// Row-major x [rows, features] and either y [rows, outputs] in the scenario's dtype or labels [rows], all within
// `memory` at the given byte offsets (multiples of 64). `order` is [epochs, rows]: the row indices of each epoch.
struct Dataset {
  SharedMemory memory;
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 0;  // number of classes where labels are given
  bool has_labels = false;
  std::size_t x_offset = 0;
  std::size_t target_offset = 0;  // of y or of the labels
  bool has_order = false;
  std::int64_t epochs = 0;
  std::size_t order_offset = 0;

  // Set where the rows stay in their file: x and the targets are not in memory then.
  std::shared_ptr<StreamRows> stream;
  std::shared_ptr<const ScratchFolder> converted;  // holds that file, where it was made for this dataset alone

  std::vector<std::string> feature_names;
  std::vector<std::string> class_names;  // empty unless text labels were mapped
  std::int64_t dropped_rows = 0;         // rows with empty cells that the scenario says to drop
  std::vector<std::string> remarks;      // what was found or done that the scenario does not say, in a sentence each
  std::string digest;                    // of x and y or labels, hexadecimal

  template <class T>
  const T* x() const {
    return reinterpret_cast<const T*>(memory.data() + x_offset);
  }
  template <class T>
  const T* y() const {
    return reinterpret_cast<const T*>(memory.data() + target_offset);
  }
  const std::int32_t* labels() const { return reinterpret_cast<const std::int32_t*>(memory.data() + target_offset); }
  const std::uint32_t* order() const {
    return has_order ? reinterpret_cast<const std::uint32_t*>(memory.data() + order_offset) : nullptr;
  }

  // Indices of the rows that positions `first` to `first + count` of the batch of step `step` hold (see
  // gdbench_data.order in plugin.h), in indices[0 .. count).
  void rows_of(const scenario::Problem& problem, std::int64_t step, std::int64_t first, std::int64_t count,
               std::int64_t* indices) const;
  // Rows of step `step`'s batch; the last batch of an epoch may be smaller.
  std::int64_t batch_size(const scenario::Problem& problem, std::int64_t step) const;
};

// Reads or generates the data. Errors name the scenario's file, the JSON pointer or the data file's line, what was
// found and what was expected.
Result<Dataset> make_dataset(const scenario::Scenario& scenario, const ReadingOptions& options = {});

// The problem that a scenario poses on its data: layer shapes, batch rows, learning rates. Errors as above, for
// example an output layer whose width is not the number of targets or classes.
Result<scenario::Problem> make_problem(const scenario::Scenario& scenario, const Dataset& dataset);

}  // namespace gdbench::data
