// One probe, timed again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/machine/probe_team.h"
#include "harness/machine/probes.h"

namespace gdbench::machine {

// The loop of a probe of functions; null for what is no function.
FunctionLoop function_of(const Probe& probe);

// Repeats one probe with a length that it finds at the first call: no less than `least_ns`.
class Repetition {
 public:
  explicit Repetition(double least_ns) : least_ns_(least_ns) {}
  Reading once(const Probe& probe, std::span<const Level> levels, ProbeTeam& team);

 private:
  Reading of_level(const Probe& probe, const Level& level, ProbeTeam& team);
  Reading of_span(const Probe& probe, ProbeTeam& team);
  Reading until_long_enough(ProbeTeam& team, const std::function<void(const Part&)>& warm_up,
                            const std::function<std::int64_t(const Part&)>& timed);

  double least_ns_;
  std::int64_t length_ = 1;
  std::int64_t offset_ = 0;
  bool calibrated_ = false;
};

}  // namespace gdbench::machine
