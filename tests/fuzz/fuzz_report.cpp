// Reports and journals, summarised and then shown in every way that a report can be.
#include <nlohmann/json.hpp>

#include "harness/analysis/summarise.h"
#include "reports/answers/console.h"
#include "reports/answers/documents.h"
#include "reports/answers/table.h"
#include "reports/document/writers.h"
#include "reports/exports/exports.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(report) {
  const gdbench::fuzz::InputFile file(data, size);
  const auto report = gdbench::analysis::read_summarised(file.path());
  if (!report.ok()) return 0;
  using namespace gdbench;
  for (const auto& show : {exports::bencher, exports::github_action, exports::google_benchmark, exports::junit,
                           exports::openmetrics, exports::pyperf, exports::samples, answers::csv}) {
    static_cast<void>(show(*report));
  }
  const document::Document document = answers::document_of(*report);
  static_cast<void>(document::text_of(document, {}));
  static_cast<void>(document::markdown_of(document));
  static_cast<void>(document::html_of(document));
  static_cast<void>(document::json_of(document));
  static_cast<void>(document::text_of(answers::verification(*report, false), {}));
  static_cast<void>(answers::first_screen(*report, {}));
  return 0;
}
