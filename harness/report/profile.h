// Where a step's time goes: a cell's profile. Part of a report's cell, and a document of its own for one cell. Profiled
// blocks are never timed ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"

namespace gdbench::report {

using catalogue::Clock;
using catalogue::ParameterUse;
using catalogue::Phase;

// One op in one phase on one part of the model; everything per step, except the phase compile, which is given whole.
struct ProfileRecord {
  Phase phase = Phase::other;
  std::string op;
  Clock clock = Clock::host;
  double calls = 0;
  double time_ns = 0;      // self time
  double flops = 0;        // by formula
  double bytes = 0;        // read and written, by formula
  double allocations = 0;  // as far as the implementation counts them itself
  // Since 1.7. The layers that the op serves, counted from 0, and the parameters w0 b0 w1 b1 ... that it uses; in
  // order, absent where there are none or the implementation does not say.
  std::optional<std::vector<std::int64_t>> layers = {};
  std::optional<std::vector<std::string>> parameters = {};
  std::optional<ParameterUse> use = {};  // present with parameters

  bool once() const { return phase == Phase::compile; }
};

// The least that an implementation's framework does: one call of its cheapest op, of an empty tape, of an empty
// compiled function.
struct FloorPart {
  std::string op;
  double time_ns = 0;
};

// Since 1.16. A step by the ops of its framework, as the framework's own profiler sees them, which slows the step:
// shares of that step are what it tells.
struct FrameworkOps {
  std::string profiler;
  std::uint64_t steps = 0;
  double step_ns = 0;                  // with the profiler
  std::vector<ProfileRecord> records;  // largest first, then the smaller ones of each phase as one
};

struct Profile {
  std::string cell;
  std::string scenario;
  std::string implementation;
  std::uint64_t steps = 0;      // in each profiled block
  double step_ns = 0;           // unprofiled, from blocks in turn with the profiled ones
  double profiled_step_ns = 0;  // with the clock readings that profiling adds
  double load_seconds = 0;
  double prepare_seconds = 0;
  double first_step_ns = 0;
  // Of the whole process, in an unprofiled block; absent where they could not be counted.
  std::optional<double> allocations_per_step;
  std::optional<double> allocated_bytes_per_step;
  std::optional<std::int64_t> prepared_bytes;  // allocated by load and prepare together, freed or not
  // Since 1.4. Operations that a step hands to its framework one by one, where the implementation counts them; and
  // what the least of such calls takes.
  std::optional<double> dispatches_per_step;
  std::optional<std::vector<FloorPart>> floor;
  std::vector<ProfileRecord> records;  // largest first
  // Since 1.16. Of a worker that is asked: one of the two, the latter with the reason.
  std::optional<FrameworkOps> ops;
  std::optional<std::string> no_ops;
};

// Time of the profiled step that no record claims, per step: loops, dispatch and clock readings. Never hidden.
double unattributed_ns(const Profile& profile);

// Part of the profiled step that is phase data: making its batch, or waiting for it.
double data_share(const Profile& profile);

OrderedJson to_json(const Profile& profile);

}  // namespace gdbench::report
