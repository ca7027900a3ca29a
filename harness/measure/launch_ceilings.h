// What the processor can do, measured between the blocks of one launch's cells.
#pragma once

#include <optional>
#include <vector>

#include "harness/machine/ceiling_probe.h"
#include "harness/measure/launch_group.h"

namespace gdbench::measure {

// Work of others on a cell's processors: each visit passes over twice what their caches hold.
Result<machine::CeilingProbe> other_work(const LiveCell& live, const report::Report& report);

class CeilingsOfLaunch {
 public:
  // Measures what the floors of the ranked cells need; nothing where the report has no ceilings. Begins before the
  // launch's workers, of which its process then holds no descriptor. What goes wrong becomes a note, and nothing is
  // measured.
  CeilingsOfLaunch(const std::vector<LiveCell>& cells, int launch, const RunOptions& options, report::Report& report,
                   report::Journal& journal);

  // Before the cell of that position in a round; the cold round counts nothing.
  void measure(int round, std::size_t position, std::size_t cells);

  // Gives the report and the journal what was measured. Errors: the journal cannot be written.
  Status finish();

 private:
  void give_up(const Error& error);

  const RunOptions& options_;
  report::Report& report_;
  report::Journal& journal_;
  report::LaunchCeilings launch_;  // its figures come last
  std::optional<machine::CeilingProbe> probe_;
  bool counted_ = false;
};

}  // namespace gdbench::measure
