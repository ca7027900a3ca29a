#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/exports/exported.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

std::string github_action(const report::Report& report) {
  std::string facts = seconds_since_1970(report.run.started_at) ? "date: " + report.run.started_at : "";
  for (const auto& [name, value] : facts_of(report)) facts += cat(facts.empty() ? "" : "\n", name, ": ", value);
  OrderedJson document = OrderedJson::array();
  for (const auto& [name, cell] : timed_cells(report)) {
    const stats::Estimate& step_ns = cell->summary->step_ns;
    document.push_back({{"name", name}, {"unit", "ns/step"}, {"value", step_ns.value}});
    if (std::isfinite(step_ns.interval.low) && std::isfinite(step_ns.interval.high)) {
      document.back()["range"] =
          cat("95%: ", answers::exact(step_ns.interval.low), " to ", answers::exact(step_ns.interval.high));
    }
    document.back()["extra"] = cat(answers::counted(step_ns.launches, "launch"), facts.empty() ? "" : "\n", facts);
  }
  return document.dump(2) + "\n";
}

}  // namespace gdbench::exports
