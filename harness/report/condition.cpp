#include "harness/report/condition.h"

#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

struct Conditions {
  const std::vector<Condition>& conditions;
};
FIELDS_OF(Conditions, conditions)

}  // namespace

OrderedJson to_json(const std::vector<Condition>& conditions) {
  return RecordWriter::document("gdbench-conditions", 1, 0, Conditions{conditions});
}

}  // namespace gdbench::report
