#include "harness/report/ablation.h"

#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

using nlohmann::json;

// Everything but the cell as it is has a name of its own.
json encoded(const AblationVariant& variant) {
  json object = {{"variant", variant.as_it_is()       ? "as it is"
                             : variant.everything_off ? "all off"
                                                      : "without"},
                 {"value", variant.value},
                 {"status", json(RecordWriter::encode(variant.status))}};
  if (!variant.without.empty()) object["without"] = variant.without;
  if (!variant.description.empty()) object["description"] = variant.description;
  if (variant.step_ns) object["step_ns"] = json(RecordWriter::encode(*variant.step_ns));
  if (variant.comparison) object["comparison"] = json(RecordWriter::encode(*variant.comparison));
  if (variant.difference_ns) object["difference_ns"] = json(RecordWriter::encode(*variant.difference_ns));
  if (variant.fired) object["fired"] = *variant.fired;
  return object;
}

}  // namespace

json to_json(const Ablation& ablation) {
  json variants = json::array();
  for (const AblationVariant& variant : ablation.variants) variants.push_back(encoded(variant));
  return {{"schema", "gdbench-ablation"},   {"schema_version", {{"major", 1}, {"minor", 0}}},
          {"scenario", ablation.scenario},  {"implementation", ablation.implementation},
          {"option", ablation.option},      {"confidence", ablation.confidence},
          {"variants", std::move(variants)}};
}

}  // namespace gdbench::report
