// What a plugin says to a profile sink, as the records of PROTOCOL.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/base/result.h"
#include "harness/protocol/protocol.h"
#include "harness/scenario/problem.h"

namespace gdbench::worker {

// Keeps what is said as it is, so that turning it into text takes none of the profiled block's time.
class ProfileRecords {
 public:
  // Appends to this, which must stay where it is meanwhile.
  gdbench_profile_sink sink();
  // Layers and parameters by the names of `problem`. A failure where the plugin named some that it does not have.
  Result<std::vector<protocol::OpTotals>> totals(const scenario::Problem& problem) const;
  // Of the profiled time what belongs to no step.
  double left_out_ns() const { return left_out_ns_; }

 private:
  struct Entry {
    gdbench_profile_record record;
    std::string op;
    std::optional<gdbench_model_part> part;
  };
  std::vector<Entry> entries_;
  double left_out_ns_ = 0;
};

}  // namespace gdbench::worker
