#include "harness/result/profile.h"

#include <nlohmann/json.hpp>
#include <numeric>

namespace gdbench::result {

double unattributed_ns(const Profile& profile) {
  return std::accumulate(
      profile.records.begin(), profile.records.end(), profile.profiled_step_ns,
      [](double rest, const ProfileRecord& record) { return record.once() ? rest : rest - record.time_ns; });
}

nlohmann::json to_json(const Profile& profile) {
  nlohmann::json records = nlohmann::json::array();
  for (const ProfileRecord& record : profile.records) {
    records.push_back({{"phase", record.phase},
                       {"op", record.op},
                       {"clock", record.device_clock ? "device" : "host"},
                       {"calls", record.calls},
                       {"time_ns", record.time_ns},
                       {"flops", record.flops},
                       {"bytes", record.bytes},
                       {"allocations", record.allocations}});
  }
  return {{"schema", "gdbench-profile"},
          {"schema_version", {{"major", 1}, {"minor", 0}}},
          {"cell", profile.cell},
          {"scenario", profile.scenario},
          {"implementation", profile.implementation},
          {"steps", profile.steps},
          {"step_ns", profile.step_ns},
          {"profiled_step_ns", profile.profiled_step_ns},
          {"unattributed_ns", unattributed_ns(profile)},
          {"load_seconds", profile.load_seconds},
          {"prepare_seconds", profile.prepare_seconds},
          {"first_step_ns", profile.first_step_ns},
          {"records", std::move(records)}};
}

}  // namespace gdbench::result
