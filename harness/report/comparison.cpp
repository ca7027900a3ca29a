#include "harness/report/comparison.h"

#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

void add(const char* key, const std::optional<stats::Estimate>& estimate, Json& record) {
  if (estimate) record[key] = Json(RecordWriter::encode(*estimate));
}

}  // namespace

Json to_json(const ReportComparison& comparison) {
  Json document = {{"schema", "gdbench-comparison"},
                   {"schema_version", {{"major", 1}, {"minor", 0}}},
                   {"base", comparison.base},
                   {"new", comparison.next},
                   {"paired", comparison.paired},
                   {"margin", comparison.margin},
                   {"confidence", comparison.confidence},
                   {"noise_floor", comparison.noise_floor},
                   {"not_comparable", comparison.not_comparable},
                   {"remarks", comparison.remarks}};
  Json cells = Json::array();
  for (const ComparedCell& cell : comparison.cells) {
    Json record = {{"id", cell.id}, {"change", name_of(cell.change)}, {"remark", cell.remark}};
    add("base_ns", cell.base_ns, record);
    add("new_ns", cell.new_ns, record);
    add("ratio", cell.ratio, record);
    if (cell.layout) record["layout"] = *cell.layout;
    cells.push_back(std::move(record));
  }
  document["cells"] = std::move(cells);
  return document;
}

}  // namespace gdbench::report
