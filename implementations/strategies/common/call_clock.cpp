#include "implementations/strategies/common/call_clock.h"

#include <algorithm>
#include <cstddef>

namespace gdbench::strategies {
namespace {

// The first steps of a process may be late, until the device is held back for long enough.
constexpr double kLateShare = 0.25;

}  // namespace

double CallClock::run(const backends::Call* call, const backends::Buffer* buffers, const ProfiledAs& as) {
  const double start = now_ns();
  if (!session_.has_clock()) {
    call->run(call, buffers, nullptr);
    session_.synchronise();
    const double taken = now_ns() - start;
    profile_.add(as, taken);
    return taken;
  }
  double launching = start;
  if (calls_.empty()) {
    session_.begin_marks();
    launching = now_ns();
    waiting_ns_ += launching - start;
  }
  call->run(call, buffers, nullptr);
  session_.mark();
  calls_.push_back(as);
  const double end = now_ns();
  launching_ns_ += end - launching;
  return end - start;
}

void CallClock::end_step() {
  if (calls_.empty()) return;
  const double start = now_ns();
  device_ns_.resize(calls_.size());
  if (!session_.end_marks(device_ns_)) ++late_steps_;
  session_.synchronise();  // which says what failed
  ++steps_;
  waiting_ns_ += now_ns() - start;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    profile_.add(calls_[i], device_ns_[i], catalogue::Clock::device);
    waiting_ns_ -= device_ns_[i];
  }
  profile_.add({"launching", catalogue::Phase::other, {}, {}}, launching_ns_);
  calls_.clear();
  launching_ns_ = 0;
}

void CallClock::add_whole(const ProfiledAs& as, double host_ns) {
  if (!session_.has_clock()) {
    profile_.add(as, host_ns);
    return;
  }
  const double device_ns = session_.span_ns();
  profile_.add(as, device_ns, catalogue::Clock::device);
  profile_.add({"launching and waiting", catalogue::Phase::other, {}, {}}, std::max(0.0, host_ns - device_ns));
}

void CallClock::report(const gdbench_profile_sink& sink) {
  if (static_cast<double>(late_steps_) > kLateShare * static_cast<double>(steps_)) profile_.distrust_device_clock();
  profile_.report(sink);
  const bool leaves_out = sink.struct_size >= offsetof(gdbench_profile_sink, leave_out) + sizeof(sink.leave_out) &&
                          sink.leave_out != nullptr;
  if (leaves_out) sink.leave_out(sink.context, waiting_ns_);
}

}  // namespace gdbench::strategies
