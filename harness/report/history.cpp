#include "harness/report/history.h"

#include <algorithm>

#include "harness/report/fields.h"
#include "harness/report/schema_writer.h"

namespace gdbench::report {

FIELDS_OF(HistoryReport, file, run, revision, committed_at, started_at)
FIELDS_OF(HistoryPoint, report, step_ns)
FIELDS_OF(HistorySegment, first, last, reports, level_ns)
FIELDS_OF(HistoryChange, last_before, first_after, before, after, comparison, remark)
FIELDS_OF(HistoryNewest, reports, step_ns, comparison)
FIELDS_OF(HistoryCell, id, scenario, label, points, segments, changes, newest, remark)
FIELDS_OF(SeparatedMachine, machine, difference, files)
FIELDS_OF(History, machine, revision, margin, significance, level_confidence, confidence, reports, separated, cells,
          notes)

bool History::is_slower() const {
  return std::ranges::any_of(cells, [](const HistoryCell& cell) {
    return cell.newest && cell.newest->comparison && cell.newest->comparison->verdict == stats::Verdict::slower;
  });
}

namespace {

constexpr const char* kHistorySchema = "gdbench-history";
constexpr int kHistoryMajor = 1;
constexpr int kHistoryMinor = 2;

}  // namespace

OrderedJson to_json(const History& history) {
  return RecordWriter::document(kHistorySchema, kHistoryMajor, kHistoryMinor, history);
}

OrderedJson history_schema() { return SchemaWriter::document<History>(kHistorySchema, kHistoryMajor, kHistoryMinor); }

}  // namespace gdbench::report
