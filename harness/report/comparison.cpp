#include "harness/report/comparison.h"

#include "harness/report/fields.h"

namespace gdbench::report {

FIELDS_OF(ComparedCell, id, change, remark, base_ns, new_ns, ratio, layout)

void fields(auto& archive, Of<ReportComparison> auto& comparison) {
  archive.field("base", comparison.base);
  archive.field("new", comparison.next);
  FIELDS(archive, comparison, paired, margin, confidence, noise_floor, not_comparable, remarks, cells);
}

OrderedJson to_json(const ReportComparison& comparison) {
  return RecordWriter::document("gdbench-comparison", 1, 0, comparison);
}

}  // namespace gdbench::report
