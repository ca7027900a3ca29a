// Times the calls of profiled steps, one by one.
#pragma once

#include <cstddef>
#include <vector>

#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

// On a processor each call is waited for, with a clock around it whose reading (some 25 ns) is in the figure. A device
// is held back until all calls of a step are launched, and then tells its own time of each (backends::DeviceFunctions);
// what launching takes is a record of its own, and waiting for the device is left out of the profiled time.
class CallClock {
 public:
  explicit CallClock(Session& session) : session_(session) {}

  // Runs a call of a step. Returns the nanoseconds that the host spent in here.
  double run(const backends::Call* call, const backends::Buffer* buffers, const ProfiledAs& as);
  // To be called behind the calls of a step, or of a part of it: nothing else may be waited for before. `as` of its
  // calls lives until then.
  void end_step();

  // Runs what is no sequence of single calls, and waits for it.
  template <class Body>
  void run_whole(const ProfiledAs& as, const Body& body) {
    const double start = now_ns();
    if (session_.has_clock()) session_.begin_span();
    body();
    if (session_.has_clock()) session_.end_span();
    session_.synchronise();
    add_whole(as, now_ns() - start);
  }

  // What the caller times.
  void add(const ProfiledAs& as, double nanoseconds) { profile_.add(as, nanoseconds); }

  // Once, after all steps. Where many steps were launched too slowly for the device to be held back, its times are
  // called the host's.
  void report(const gdbench_profile_sink& sink);

 private:
  void add_whole(const ProfiledAs& as, double host_ns);

  Session& session_;
  Profile profile_;
  // On a device, of the step under way.
  std::vector<ProfiledAs> calls_;
  std::vector<double> device_ns_;
  double launching_ns_ = 0;
  // Of all steps.
  std::size_t steps_ = 0;
  std::size_t late_steps_ = 0;
  double waiting_ns_ = 0;
};

}  // namespace gdbench::strategies
