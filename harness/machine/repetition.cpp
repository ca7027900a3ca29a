#include "harness/machine/repetition.h"

namespace gdbench::machine {

namespace {

const ScalarTypeLoops& loops_of(const Probe& probe) { return probe.f64 ? probe.kernels->f64 : probe.kernels->f32; }

MemoryLoop memory_loop_of(const Probe& probe) {
  if (probe.quantity == Quantity::update) return probe.kernels->update[1][0];
  if (probe.quantity == Quantity::span && probe.span.written > 0) {
    return probe.kernels->update[probe.span.read_only > 0 ? 1 : 0][probe.span.written - 1];
  }
  return probe.kernels->read[static_cast<std::size_t>(probe.streams - 1)];
}

std::int64_t compute(const Probe& probe, std::int64_t iterations) {
  const ScalarTypeLoops& loops = loops_of(probe);
  const ArithmeticLoop loop = probe.quantity == Quantity::fma_rate      ? loops.fma_rate
                              : probe.quantity == Quantity::bf16_rate   ? probe.kernels->bf16_rate
                              : probe.quantity == Quantity::tile_rate   ? probe.kernels->tile_rate
                              : probe.quantity == Quantity::fma_latency ? loops.fma_latency
                                                                        : loops.addition_latency;
  const int lanes = probe.kernels->bits / (probe.f64 ? 64 : 32);
  // A half and one converge to two: neither overflow nor denormals.
  volatile double result = loop(iterations, 0.5, 1);
  static_cast<void>(result);
  const int operations = probe.quantity == Quantity::fma_rate    ? 2 * probe.kernels->rate_accumulators * lanes
                         : probe.quantity == Quantity::bf16_rate ? 4 * probe.kernels->rate_accumulators * lanes
                         : probe.quantity == Quantity::tile_rate ? kTileOperations
                                                                 : kChainLength;
  return iterations * operations;
}

}  // namespace

FunctionLoop function_of(const Probe& probe) {
  const ScalarTypeLoops& loops = loops_of(probe);
  switch (probe.quantity) {
    case Quantity::exponential:
      return loops.exponential;
    case Quantity::division:
      return loops.division;
    case Quantity::root:
      return loops.root;
    case Quantity::refined_division:
      return loops.refined_division;
    case Quantity::refined_root:
      return loops.refined_root;
    default:
      return nullptr;
  }
}

Reading Repetition::once(const Probe& probe, std::span<const Level> levels, ProbeTeam& team) {
  const auto nothing = [](const Part&) {};
  if (const FunctionLoop function = function_of(probe)) {
    return until_long_enough(team, nothing, [&](const Part& part) { return function(part.scratch, length_ * 16); });
  }
  switch (probe.quantity) {
    case Quantity::read:
    case Quantity::update:
      return of_level(probe, levels[probe.level], team);
    case Quantity::span:
      return of_span(probe, team);
    default:
      return until_long_enough(team, nothing, [&](const Part&) { return compute(probe, length_ * 256); });
  }
}

Reading Repetition::of_level(const Probe& probe, const Level& level, ProbeTeam& team) {
  const MemoryLoop loop = memory_loop_of(probe);
  const auto nothing = [](const Part&) {};
  const auto passes = [&](const Part& part) {
    return loop(part.begin(offset_, level.pass_bytes), part.share(level.pass_bytes), length_, Order::forward);
  };
  if (level.span_bytes == level.pass_bytes) return until_long_enough(team, nothing, passes);
  // Each pass takes the next part of the span, so that a large last-level cache has dropped it since the last visit.
  const Reading reading = team.time(nothing, passes);
  offset_ = offset_ + 2 * level.pass_bytes <= level.span_bytes ? offset_ + level.pass_bytes : 0;
  return reading;
}

// After a pass that leaves the caches as a step leaves them to the next one. Turning passes miss them least: what
// caches of C bytes keep of a span of W, they need not fetch again, and only W - C comes from beyond.
Reading Repetition::of_span(const Probe& probe, ProbeTeam& team) {
  const MemoryLoop loop = memory_loop_of(probe);
  const std::int64_t bytes = probe.span.bytes;
  return until_long_enough(
      team, [&](const Part& part) { loop(part.begin(0, bytes), part.share(bytes), 1, Order::forward); },
      [&](const Part& part) { return loop(part.begin(0, bytes), part.share(bytes), length_, Order::turning); });
}

Reading Repetition::until_long_enough(ProbeTeam& team, const std::function<void(const Part&)>& warm_up,
                                      const std::function<std::int64_t(const Part&)>& timed) {
  Reading reading = team.time(warm_up, timed);
  while (!calibrated_ && reading.nanoseconds < least_ns_) {
    length_ *= 2;
    reading = team.time(warm_up, timed);
  }
  calibrated_ = true;
  return reading;
}

}  // namespace gdbench::machine
