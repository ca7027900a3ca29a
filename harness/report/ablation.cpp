#include "harness/report/ablation.h"

#include "harness/report/fields.h"

namespace gdbench::report {

// Everything but the cell as it is has a name of its own.
void fields(auto& archive, Of<AblationVariant> auto& variant) {
  const char* kind = variant.everything_off ? "all off" : "without";
  archive.field("variant", std::string(variant.as_it_is() ? "as it is" : kind));
  FIELDS(archive, variant, value, status);
  archive.unless_empty("without", variant.without);
  archive.unless_empty("description", variant.description);
  FIELDS(archive, variant, step_ns, comparison, difference_ns, fired);
}

FIELDS_OF(Ablation, scenario, implementation, option, confidence, variants)

OrderedJson to_json(const Ablation& ablation) { return RecordWriter::document("gdbench-ablation", 1, 0, ablation); }

}  // namespace gdbench::report
