// Journals of killed runs, read, gone on with and shown.
#include <nlohmann/json.hpp>
#include <string>

#include "harness/analysis/summarise.h"
#include "harness/report/journal.h"
#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/fuzz/target.h"

GDBENCH_FUZZ_TARGET(journal) {
  using namespace gdbench;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!report::is_journal(text)) return 0;
  auto read = report::parse_journal(text, "journal");
  if (!read.ok()) return 0;
  // As it was planned: what measuring has added is taken away again.
  report::Report planned = *read;
  for (report::Cell& cell : planned.cells) {
    cell.status = {};
    cell.samples.clear();
    cell.launches.clear();
  }
  static_cast<void>(report::take_over(*read, "journal", planned));
  static_cast<void>(document::text_of(answers::document_of(planned), {}));
  return 0;
}
