#include "harness/report/profile.h"

#include <numeric>

#include "harness/report/fields.h"

namespace gdbench::report {

double unattributed_ns(const Profile& profile) {
  return std::accumulate(
      profile.records.begin(), profile.records.end(), profile.profiled_step_ns,
      [](double rest, const ProfileRecord& record) { return record.once() ? rest : rest - record.time_ns; });
}

double data_share(const Profile& profile) {
  double time_ns = 0;
  for (const ProfileRecord& record : profile.records) {
    if (record.phase == Phase::data) time_ns += record.time_ns;
  }
  return profile.profiled_step_ns > 0 ? time_ns / profile.profiled_step_ns : 0;
}

OrderedJson to_json(const Profile& profile) {
  OrderedJson json = RecordWriter::document("gdbench-profile", 1, 4, profile);
  json["unattributed_ns"] = unattributed_ns(profile);
  return json;
}

}  // namespace gdbench::report
