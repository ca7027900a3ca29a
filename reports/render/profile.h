// Renderers of a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/profile.h"
#include "reports/render/table.h"

namespace gdbench::render {

// Phases with their ops, one line for each op and the part of the model it is about; layers and parameters, shares of
// the profiled step, GFLOP/s and GB/s; what nobody claims; what profiling itself costs.
std::string profile_table(const report::Profile& profile);

// What that is made of.

// A part of a step with its ops in the order of a step, or what is done once before the first one.
struct PhaseTime {
  report::Phase phase = report::Phase::other;
  double time_ns = 0;
  std::vector<const report::ProfileRecord*> records;

  std::string name() const { return name_of(phase); }
};
// In the order of a step, without what is done once.
std::vector<PhaseTime> phases_of(const report::Profile& profile);
PhaseTime once_of(const report::Profile& profile);

// "product, layer 1, gradient of w1".
std::string op_label(const report::ProfileRecord& record);

// A row for each phase and op, and for what nobody claims.
TextTable profile_rows(const report::Profile& profile);
// The least that the implementation's framework does; no rows where that is not known.
TextTable profile_floor(const report::Profile& profile);

// A step by the ops of its framework, in shares of the step that the profiler slows; no rows where there are none. What
// these are shares of, or why there are none; nothing where nobody was asked.
report::Profile profile_of_ops(const report::Profile& profile);
TextTable profile_op_rows(const report::Profile& profile);
std::string profile_ops_words(const report::Profile& profile);

// What loading, preparing, the first step and a steady one take; what is allocated; how often a step calls its
// framework, nothing where it does not count that; what profiling costs.
std::string profile_start_words(const report::Profile& profile);
std::string profile_allocation_words(const report::Profile& profile);
std::string profile_call_words(const report::Profile& profile);
std::string profile_overhead_words(const report::Profile& profile);

// One mean step as a timeline in the Trace Event Format (JSON object form, complete events), as Perfetto, speedscope
// and chrome://tracing open it: phases with their ops inside, named as "product, layer 1, gradient of w1", in the order
// of a step, lengths as measured.
std::string chrome_trace(const report::Profile& profile);

// "implementation;phase;op, layer 0, reads w0 picoseconds" lines, as flame graph tools and speedscope read them.
std::string collapsed_stacks(const report::Profile& profile);

// ", layer 0", ", layers 0-4" for layers that follow each other, ", layers 0,2" for others; nothing for none. Layers
// ascend.
std::string layer_words(const std::vector<std::int64_t>& layers);

}  // namespace gdbench::render
