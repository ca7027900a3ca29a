#include "implementations/strategies/common/profile.h"

#include <chrono>
#include <cstring>

namespace gdbench::strategies {
namespace {

bool is_of(const gdbench_profile_record& record, const ModelPart& part, const ProfiledAs& as) {
  return record.phase == static_cast<std::int32_t>(as.phase) && part == as.part &&
         (record.op == as.op || std::strcmp(record.op, as.op) == 0);
}

}  // namespace

// Steps repeat their calls in order, so the entry that followed last time is looked at first: what collecting takes
// does not grow with the number of layers.
std::size_t Profile::find(const ProfiledAs& as) const {
  if (entries_.empty()) return 0;
  const std::size_t expected = entries_[last_].next;
  if (is_of(entries_[expected].record, entries_[expected].part, as)) return expected;
  std::size_t i = 0;
  while (i < entries_.size() && !is_of(entries_[i].record, entries_[i].part, as)) ++i;
  return i;
}

void Profile::add(const ProfiledAs& as, double nanoseconds) {
  const std::size_t found = find(as);
  if (found == entries_.size())
    entries_.push_back({{as.op, static_cast<std::int32_t>(as.phase), 0, 0, 0, 0, 0, 0}, as.part});
  entries_[last_].next = found;
  last_ = found;
  gdbench_profile_record& record = entries_[found].record;
  ++record.calls;
  record.time_ns += nanoseconds;
  record.flops += as.cost.flops;
  record.bytes += as.cost.bytes;
}

void Profile::report(const gdbench_profile_sink& sink) const {
  const bool takes_parts = sink.struct_size >= offsetof(gdbench_profile_sink, record_part) + sizeof(sink.record_part) &&
                           sink.record_part != nullptr;
  for (const Entry& entry : entries_) {
    if (!takes_parts || entry.part == ModelPart{}) {
      sink.record(sink.context, &entry.record);
      continue;
    }
    const gdbench_model_part part = to_abi(entry.part);
    sink.record_part(sink.context, &entry.record, &part);
  }
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gdbench::strategies
