#include "app/version.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/machine/build_information.h"
#include "harness/report/environment.h"

namespace gdbench::app {

std::string build_name() {
  const std::string revision = report::revision_of({{"build", machine::build_information()}});
  return revision.empty() ? GDBENCH_VERSION : GDBENCH_VERSION " " + revision;
}

std::string version_text() {
  const Json environment = {{"build", machine::build_information()}};
  const auto or_unknown = [](const std::string& text) { return text.empty() ? std::string("unknown") : text; };
  return cat("gdbench " GDBENCH_VERSION, "\nrevision: ", or_unknown(report::revision_of(environment)),
             "\nbuild type: ", or_unknown(report::text_at(environment, "/build/type")),
             "\ncompiler: ", or_unknown(report::text_at(environment, "/build/compiler")));
}

}  // namespace gdbench::app
