#include "harness/report/comparison.h"

#include <nlohmann/json.hpp>

#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

using nlohmann::json;

void add(const char* key, const std::optional<stats::Estimate>& estimate, json& record) {
  if (estimate) record[key] = json(RecordWriter::encode(*estimate));
}

}  // namespace

json to_json(const ReportComparison& comparison) {
  json document = {{"schema", "gdbench-comparison"},
                   {"schema_version", {{"major", 1}, {"minor", 0}}},
                   {"base", comparison.base},
                   {"new", comparison.next},
                   {"paired", comparison.paired},
                   {"margin", comparison.margin},
                   {"confidence", comparison.confidence},
                   {"noise_floor", comparison.noise_floor},
                   {"not_comparable", comparison.not_comparable},
                   {"remarks", comparison.remarks}};
  json cells = json::array();
  for (const ComparedCell& cell : comparison.cells) {
    json record = {{"id", cell.id}, {"change", name_of(cell.change)}, {"remark", cell.remark}};
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
