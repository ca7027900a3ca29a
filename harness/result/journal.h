// The append-only journal of a run, one JSON object a line, so that a kill or a full disk loses nothing that was
// measured.
//   {"event":"run","report":{...}}            the report as known before measuring: run, environment, scenarios, cells
//   {"event":"cell","cell":ID,"status":...,"verification":...,"block":...}
//   {"event":"sample","cell":ID,"sample":{...}}
//   {"event":"launch","cell":ID,"launch":{...}}
//   {"event":"note","text":"..."}
//   {"event":"end","status":"complete","finished_at":"..."}
// A truncated last line, as a kill leaves it, is dropped.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/result/report.h"

namespace gdbench::result {

class Journal {
 public:
  Journal() = default;
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;

  // Creates `path` (an existing file is replaced) and writes the run event. Errors: the path cannot be written.
  static Result<Journal> create(const std::string& path, const Report& report);

  // Each appends one line with a single write; an error (disk full) is returned once the line could not be written.
  Status cell(const Cell& cell);  // status, verification, block, build
  Status sample(const std::string& cell_id, const Sample& sample);
  Status launch(const std::string& cell_id, const Launch& launch);
  Status note(const std::string& text);
  Status end(const Run& run);

  const std::string& path() const { return path_; }

 private:
  Status append(const nlohmann::json& event);
  std::string path_;
  int descriptor_ = -1;
};

// The report that a journal's lines add up to.
Result<Report> read_journal(const std::string& path);

}  // namespace gdbench::result
