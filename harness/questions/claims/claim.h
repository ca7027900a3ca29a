// A claim: a sentence about speed, where it was read, and the experiments that decide it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/claim_judgement.h"
#include "harness/scenario/matrix.h"

namespace gdbench::claims {

// The axis of relations about the time for several numbers of steps; no key of cells.
constexpr const char* kStepsAxis = "steps";

// Cells, and what must hold of them.
struct Experiment {
  scenario::Matrix matrix;
  std::vector<report::ClaimRelation> relations;
};

// What a claim file says:
// {
//   "id": "mine", "sentence": "...", "source": "title of a page", "purpose": "how the sentence is read",
//   "question": "Why ...?", "setting": "what was compared, in numbers", "posted": ["posted/a.json", "posted/b.json"],
//   "experiments": [
//     {"matrix": {"axes": {...}, "exclude": [...], "include": [...]},
//      "relations": [
//        {"kind": "ratio", "quantity": "step", "a": {"implementation": "x/y"}, "b": {"implementation": "x/z"},
//         "at_least": 6, "points": "all", "at": {"batch": [1, 32]}, "along": "batch"},
//        {..., "decides": false, "advice": "what to do, which this ratio shows the worth of"}]}]
// }
// scenarios/README.md says what each key means.
struct Claim {
  std::string id;
  std::string sentence;
  std::string source;
  std::string purpose;
  std::string question;  // as people ask it; empty: nobody is known to
  std::string setting;   // what they compared, in numbers
  // How the two codes that were posted were timed: files for `gdbench explain --check-comparison`, both or none.
  std::vector<std::filesystem::path> posted;
  std::vector<Experiment> experiments;
  std::filesystem::path file;
};

// Errors: one line with the file, the place, what was found and what was expected.
Result<Claim> read_claim(const std::filesystem::path& file);

}  // namespace gdbench::claims
