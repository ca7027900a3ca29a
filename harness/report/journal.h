// The append-only journal of a run, one JSON object a line, so that a kill or a full disk loses nothing that was
// measured.
//   {"event":"run","report":{...}}            the report as known before measuring: run, environment, scenarios, cells
//   {"event":"cell","cell":ID,"build":"...","status":...,"verification":...,"block":...,"profile":...,
//    "other_profiles":[...],"target":...,"confirmed_from":...}
//   {"event":"sample","cell":ID,"sample":{...}}
//   {"event":"launch","cell":ID,"launch":{...}}
//   {"event":"ceilings","ceilings":{...}}    of a launch
//   {"event":"note","text":"..."}
//   {"event":"resume","at":"..."}             the run was stopped and is gone on with
//   {"event":"end","status":"complete","finished_at":"..."}
// A last line without its line feed, as a kill leaves it, is dropped; a journal without an end event reads as a run
// whose status is "killed".
#pragma once

#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"
#include "harness/report/report.h"

namespace gdbench::report {

class Journal {
 public:
  Journal() = default;
  // Takes `path` for this process, before anything is measured or read for it, and leaves what is there as it is.
  // Errors: the path cannot be written; the run of a journal there still goes on.
  static Result<Journal> take(const std::string& path);
  // Writes the run event in the place of what is there. Errors: it cannot be written.
  Status begin(const Report& report);
  // Goes on with the journal of a stopped run: drops what a kill left of a last line and appends. Errors: there is no
  // journal; it cannot be written.
  Status go_on(const std::string& at);
  // Removes the file again where nothing was written to it.
  void leave();

  // A journal that keeps nothing: for measurements that are shown at once and repeated at will.
  static Journal nowhere();

  // Each appends one line with a single write; an error (disk full) is returned once the line could not be written.
  Status cell(const Cell& cell);  // status, verification, block, profiles, target, build
  Status sample(const std::string& cell_id, const Sample& sample);
  Status launch(const std::string& cell_id, const Launch& launch);
  Status ceilings(const LaunchCeilings& ceilings);
  Status note(const std::string& text);
  Status end(const Run& run);

  const std::string& path() const { return path_; }

 private:
  Status append(const OrderedJson& event);
  std::string path_;
  UniqueDescriptor descriptor_;
  bool nowhere_ = false;
};

// The report that a journal's lines add up to, without summaries; `origin` names the file in messages. Errors: a line
// that is no event, named by its number. read_report reads such files.
Result<Report> parse_journal(const std::string& content, const std::string& origin);
// Whether a file's text is a journal's and not a report's.
bool is_journal(const std::string& content);

// Going on with a run that was stopped: killed, or interrupted.

// Gives the cells of a planned report what the journal or the report of the stopped run knows of them: status, block,
// launches, samples, profiles; and the run its id, start, seed and first ceilings. Errors, which name `origin`: the
// journal is of another run (other cells, another seed, another build of an implementation), or of a complete one.
Status take_over(const Report& stopped, const std::string& origin, Report& planned);

}  // namespace gdbench::report
