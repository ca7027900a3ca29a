#include "harness/report/watched.h"

#include "harness/report/fields.h"

namespace gdbench::report {

FIELDS_OF(Subnormals, state, activations, gradients)
FIELDS_OF(WatchedBlock, first, steps, step_ns, control_ns, waiting_ns, own_bytes, device_bytes, allocations, traces,
          loss, subnormals)
FIELDS_OF(WatchedLevel, first, end, blocks, step_ns, interval, ratio, ratio_interval, subnormals)
FIELDS_OF(MemoryCourse, first_bytes, last_bytes, bytes_per_step)
FIELDS_OF(Pauses, blocks, share, worst, worst_ns)
FIELDS_OF(Watched, scenario, implementation, control, margin, confidence, first_step_ns, warm_up_steps, flushes_to_zero,
          ended, change, levels, memory, device_memory, pauses, traces, last_trace, first_not_finite, blocks)

OrderedJson to_json(const Watched& watched) { return RecordWriter::document("gdbench-watch", 1, 1, watched); }

}  // namespace gdbench::report
