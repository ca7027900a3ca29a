#include "harness/report/ablation.h"

#include "harness/base/json.h"
#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

// Everything but the cell as it is has a name of its own.
Json encoded(const AblationVariant& variant) {
  Json object = {{"variant", variant.as_it_is()       ? "as it is"
                             : variant.everything_off ? "all off"
                                                      : "without"},
                 {"value", variant.value},
                 {"status", Json(RecordWriter::encode(variant.status))}};
  if (!variant.without.empty()) object["without"] = variant.without;
  if (!variant.description.empty()) object["description"] = variant.description;
  if (variant.step_ns) object["step_ns"] = Json(RecordWriter::encode(*variant.step_ns));
  if (variant.comparison) object["comparison"] = Json(RecordWriter::encode(*variant.comparison));
  if (variant.difference_ns) object["difference_ns"] = Json(RecordWriter::encode(*variant.difference_ns));
  if (variant.fired) object["fired"] = *variant.fired;
  return object;
}

}  // namespace

Json to_json(const Ablation& ablation) {
  Json variants = Json::array();
  for (const AblationVariant& variant : ablation.variants) variants.push_back(encoded(variant));
  return {{"schema", "gdbench-ablation"},   {"schema_version", {{"major", 1}, {"minor", 0}}},
          {"scenario", ablation.scenario},  {"implementation", ablation.implementation},
          {"option", ablation.option},      {"confidence", ablation.confidence},
          {"variants", std::move(variants)}};
}

}  // namespace gdbench::report
