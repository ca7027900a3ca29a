// The masks of the task gradients (gdbench_task in gdbench/plugin.h): mask j is [rows, outputs], 1 in column j and 0 in
// the others.
//
// All are views of one buffer with a 1 at every outputs-th entry, each from another entry on: rows x outputs entries
// instead of rows x outputs x outputs.
#pragma once

#include <cstdint>

#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

class ColumnMasks {
 public:
  // For batches of up to `rows` rows.
  ColumnMasks(Session& session, catalogue::Dtype dtype, std::int64_t rows, std::int64_t outputs);

  // How many there are: the outputs.
  std::int64_t count() const { return outputs_; }
  // The mask of a column for a batch of `rows` rows; never to be written.
  Matrix mask(std::int64_t column, std::int64_t rows) const;

 private:
  Session& session_;
  catalogue::Dtype dtype_;
  std::int64_t outputs_;
  backends::Buffer ones_ = nullptr;  // [rows * outputs + outputs - 1]
};

}  // namespace gdbench::strategies
