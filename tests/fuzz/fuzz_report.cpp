// Reports and journals, summarised and then shown in every way that a report can be.
#include "harness/analysis/summarise.h"
#include "reports/exports/bencher.h"
#include "reports/exports/github_action.h"
#include "reports/exports/google_benchmark.h"
#include "reports/exports/junit.h"
#include "reports/exports/openmetrics.h"
#include "reports/exports/pyperf.h"
#include "reports/exports/samples.h"
#include "reports/page/report_page.h"
#include "reports/render/console.h"
#include "reports/render/first_screen.h"
#include "reports/render/markdown.h"
#include "reports/render/table.h"
#include "reports/render/verification.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(report) {
  const gdbench::fuzz::InputFile file(data, size);
  const auto report = gdbench::analysis::read_summarised(file.path());
  if (!report.ok()) return 0;
  using namespace gdbench;
  for (const auto& show :
       {exports::bencher, exports::github_action, exports::google_benchmark, exports::junit, exports::openmetrics,
        exports::pyperf, exports::samples, page::report_page, render::markdown, render::csv, render::verification}) {
    static_cast<void>(show(*report));
  }
  static_cast<void>(render::console(*report, {}));
  static_cast<void>(render::first_screen(*report, {}));
  return 0;
}
