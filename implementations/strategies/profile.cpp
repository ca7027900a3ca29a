#include "implementations/strategies/profile.h"

#include <chrono>
#include <cstring>

namespace gdbench::strategies {

void Profile::add(const char* op, gdbench_phase phase, double nanoseconds, const OpCost& cost) {
  for (gdbench_profile_record& record : records_) {
    if (record.phase != phase || std::strcmp(record.op, op) != 0) continue;
    ++record.calls;
    record.time_ns += nanoseconds;
    record.flops += cost.flops;
    record.bytes += cost.bytes;
    return;
  }
  records_.push_back({op, phase, 0, 1, nanoseconds, cost.flops, cost.bytes, 0});
}

void Profile::report(const gdbench_profile_sink& sink) const {
  for (const gdbench_profile_record& record : records_) sink.record(sink.context, &record);
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gdbench::strategies
