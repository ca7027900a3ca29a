#include "harness/report/condition.h"

#include <nlohmann/json.hpp>

#include "harness/report/fields.h"

namespace gdbench::report {

nlohmann::json to_json(const std::vector<Condition>& conditions) {
  nlohmann::json list = nlohmann::json::array();
  for (const Condition& condition : conditions) list.push_back(nlohmann::json(RecordWriter::encode(condition)));
  return {{"schema", "gdbench-conditions"},
          {"schema_version", {{"major", 1}, {"minor", 0}}},
          {"conditions", std::move(list)}};
}

}  // namespace gdbench::report
