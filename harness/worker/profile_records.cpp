#include "harness/worker/profile_records.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace gdbench::worker {

namespace {

constexpr const char* kUses[] = {"reads", "gradient", "updates"};

nlohmann::json json_of(const gdbench_profile_record& record, const std::string& op) {
  using catalogue::Phase;
  const Phase phase = catalogue::find<Phase>(record.phase).value_or(Phase::other);
  return {{"op", op},
          {"phase", name_of(phase)},
          {"clock", record.device_clock != 0 ? "device" : "host"},
          {"calls", record.calls},
          {"time_ns", record.time_ns},
          {"flops", record.flops},
          {"bytes", record.bytes},
          {"allocations", record.allocations}};
}

// Appends names[first] to names[last] under `key`; nothing for -1 to -1.
template <class Name>
Status add_range(nlohmann::json& record, const char* key, std::int64_t first, std::int64_t last,
                 const std::vector<Name>& names) {
  if (first == -1 && last == -1) return {};
  if (first < 0 || first > last || std::cmp_greater_equal(last, names.size())) {
    return failure("profile: " + record["op"].get<std::string>() + ": found " + key + " " + std::to_string(first) +
                   " to " + std::to_string(last) + ", expected some of 0 to " + std::to_string(names.size() - 1) +
                   ", or -1 to -1 for none");
  }
  for (std::int64_t i = first; i <= last; ++i) record[key].push_back(names[static_cast<std::size_t>(i)]);
  return {};
}

Status add_use(nlohmann::json& record, std::int32_t use) {
  if (use < 0 || std::cmp_greater_equal(use, std::size(kUses))) {
    return failure("profile: " + record["op"].get<std::string>() + ": found use " + std::to_string(use) +
                   " of parameters, expected 0 to 2");
  }
  record["use"] = kUses[use];
  return {};
}

}  // namespace

gdbench_profile_sink ProfileRecords::sink() {
  const auto record = [](void* self, const gdbench_profile_record* given) {
    static_cast<ProfileRecords*>(self)->entries_.push_back({*given, given->op, std::nullopt});
  };
  const auto record_part = [](void* self, const gdbench_profile_record* given, const gdbench_model_part* part) {
    static_cast<ProfileRecords*>(self)->entries_.push_back({*given, given->op, *part});
  };
  return {sizeof(gdbench_profile_sink), this, record, record_part};
}

Result<nlohmann::json> ProfileRecords::to_json(const scenario::Problem& problem) const {
  std::vector<std::size_t> layers;
  for (std::size_t l = 0; l < problem.layers.size(); ++l) layers.push_back(l);
  std::vector<std::string> parameters;
  for (const scenario::ParameterShape& shape : scenario::parameter_shapes(problem)) parameters.push_back(shape.name);

  nlohmann::json records = nlohmann::json::array();
  for (const Entry& entry : entries_) {
    nlohmann::json& record = records.emplace_back(json_of(entry.record, entry.op));
    if (!entry.part) continue;
    const gdbench_model_part& part = *entry.part;
    Status status = add_range(record, "layers", part.first_layer, part.last_layer, layers);
    if (status.ok()) {
      status = add_range(record, "parameters", part.first_parameter, part.last_parameter, parameters);
    }
    if (status.ok() && record.contains("parameters")) status = add_use(record, part.use);
    if (!status.ok()) return status.error();
  }
  return records;
}

}  // namespace gdbench::worker
