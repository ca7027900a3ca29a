// Journals as runs take them.
#pragma once

#include <string>
#include <utility>

#include "harness/report/journal.h"

namespace gdbench::report {

// A new journal, and one that goes on.
inline Result<Journal> begun(const std::string& path, const Report& report) {
  Result<Journal> journal = Journal::take(path);
  if (!journal.ok()) return journal;
  const Status status = journal->begin(report);
  return status.ok() ? std::move(journal) : Result<Journal>(status.error());
}
inline Result<Journal> gone_on(const std::string& path, const std::string& at) {
  Result<Journal> journal = Journal::take(path);
  if (!journal.ok()) return journal;
  const Status status = journal->go_on(at);
  return status.ok() ? std::move(journal) : Result<Journal>(status.error());
}

}  // namespace gdbench::report
