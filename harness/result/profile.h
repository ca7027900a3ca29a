// Where a step's time goes: a cell's profile. A document of its own beside the report: profiled blocks are never timed
// ones.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gdbench::result {

// One op in one phase; everything per step, but for the phase compile, which happens once and is given whole.
struct ProfileRecord {
  std::string phase;  // data, forward, backward, update, record, compile, other
  std::string op;
  bool device_clock = false;
  double calls = 0;
  double time_ns = 0;  // self time
  double flops = 0;
  double bytes = 0;
  double allocations = 0;

  bool once() const { return phase == "compile"; }
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
  std::vector<ProfileRecord> records;  // largest first
};

// Time of the profiled step that no record claims, per step; what loops, dispatch and clock readings take. Never
// hidden.
double unattributed_ns(const Profile& profile);

nlohmann::json to_json(const Profile& profile);

}  // namespace gdbench::result
