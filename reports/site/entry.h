// What the pages of a site need of one kept report. Two hundred reports with their samples would fill the memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"
#include "reports/document/document.h"

namespace gdbench::site {

// Which implementation is the fastest in a scenario.
struct Standing {
  std::string scenario;  // its label, with the threads where there are several
  std::string fastest;   // "graph/jit (5.18 ns)"
  std::string lead;      // "3.56x [3.40, 3.70] before hand/eigen", "ties with graph/onednn"; may be empty
};

// A framework's row, or one that a device computed.
struct Time {
  std::string implementation;
  std::string version;  // "tensorflow 2.21.0", or the device's name
  std::string scenario;
  std::string time;   // of a step
  std::string ratio;  // to the fastest of the report in that scenario; empty: it is the fastest, or there is none
};

// What a report says of a claim.
struct Judged {
  report::ClaimJudgement judgement;
  document::Document answer;  // to the question behind it
};

struct Entry {
  // Its folder and its file without the ending; both are parts of an address.
  std::string machine;
  std::string name;
  report::Run run;
  std::string processor;    // "AMD EPYC", with what it has; hostile names are shown as they are
  std::string environment;  // in a line
  std::string revision;
  std::string versions;  // of what computed the rows; may be empty
  std::string cells;     // "63 cells: 63 ok"
  std::vector<std::string> spoiled;
  std::vector<Standing> standings;
  std::vector<Time> frameworks;
  std::vector<Time> devices;
  std::map<std::string, Judged> claims;  // by id; those of which the report can say something

  std::string day() const { return run.started_at.substr(0, 10); }
};

// `report` is summarised; without its claims.
Entry entry_of(const report::Report& report);

}  // namespace gdbench::site
