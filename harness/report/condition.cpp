#include "harness/report/condition.h"

#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/report/fields.h"

namespace gdbench::report {

Json to_json(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& condition : conditions) list.push_back(Json(RecordWriter::encode(condition)));
  return {{"schema", "gdbench-conditions"},
          {"schema_version", {{"major", 1}, {"minor", 0}}},
          {"conditions", std::move(list)}};
}

}  // namespace gdbench::report
