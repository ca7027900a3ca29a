#include "harness/worker/profile_records.h"

#include <numeric>
#include <utility>

namespace gdbench::worker {

namespace {

using catalogue::Clock;
using catalogue::ParameterUse;
using catalogue::Phase;

protocol::OpTotals totals_of(const gdbench_profile_record& record, const std::string& op) {
  return {.op = op,
          .phase = catalogue::find<Phase>(record.phase).value_or(Phase::other),
          .clock = record.device_clock != 0 ? Clock::device : Clock::host,
          .calls = static_cast<double>(record.calls),
          .time_ns = record.time_ns,
          .flops = record.flops,
          .bytes = record.bytes,
          .allocations = static_cast<double>(record.allocations)};
}

// names[first] to names[last]; none for -1 to -1.
template <class Name>
Result<std::vector<Name>> range(const protocol::OpTotals& totals, const char* what, std::int64_t first,
                                std::int64_t last, const std::vector<Name>& names) {
  if (first == -1 && last == -1) return std::vector<Name>();
  if (first < 0 || first > last || std::cmp_greater_equal(last, names.size())) {
    return failure("profile: " + totals.op + ": found " + what + " " + std::to_string(first) + " to " +
                   std::to_string(last) + ", expected some of 0 to " + std::to_string(names.size() - 1) +
                   ", or -1 to -1 for none");
  }
  return std::vector<Name>(names.begin() + first, names.begin() + last + 1);
}

}  // namespace

gdbench_profile_sink ProfileRecords::sink() {
  const auto record = [](void* self, const gdbench_profile_record* given) {
    static_cast<ProfileRecords*>(self)->entries_.push_back({*given, given->op, std::nullopt});
  };
  const auto record_part = [](void* self, const gdbench_profile_record* given, const gdbench_model_part* part) {
    static_cast<ProfileRecords*>(self)->entries_.push_back({*given, given->op, *part});
  };
  const auto leave_out = [](void* self, double time_ns) {
    static_cast<ProfileRecords*>(self)->left_out_ns_ += time_ns;
  };
  return {sizeof(gdbench_profile_sink), this, record, record_part, leave_out};
}

Result<std::vector<protocol::OpTotals>> ProfileRecords::totals(const scenario::Problem& problem) const {
  std::vector<std::int64_t> layers(problem.layers.size());
  std::iota(layers.begin(), layers.end(), 0);
  std::vector<std::string> parameters;
  for (const scenario::ParameterShape& shape : scenario::parameter_shapes(problem)) parameters.push_back(shape.name);

  std::vector<protocol::OpTotals> all;
  for (const Entry& entry : entries_) {
    protocol::OpTotals& totals = all.emplace_back(totals_of(entry.record, entry.op));
    if (!entry.part) continue;
    const gdbench_model_part& part = *entry.part;
    std::vector<std::int64_t> served = TRY(range(totals, "layers", part.first_layer, part.last_layer, layers));
    std::vector<std::string> used =
        TRY(range(totals, "parameters", part.first_parameter, part.last_parameter, parameters));
    totals.layers = std::move(served);
    totals.parameters = std::move(used);
    if (totals.parameters.empty()) continue;
    totals.use = catalogue::find<ParameterUse>(part.use);
    if (!totals.use) {
      return failure("profile: " + totals.op + ": found use " + std::to_string(part.use) +
                     " of parameters, expected 0 to " + std::to_string(catalogue::kCount<ParameterUse> - 1));
    }
  }
  return all;
}

}  // namespace gdbench::worker
