// Renderers of a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/profile.h"

namespace gdbench::render {

// Phases with their ops, one line for each op and the part of the model it is about; layers and parameters, shares of
// the profiled step, GFLOP/s and GB/s; what nobody claims; what profiling itself costs.
std::string profile_table(const report::Profile& profile);

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
