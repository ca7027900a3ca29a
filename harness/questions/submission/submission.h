// May a report be kept next to those of other machines? They lie in FOLDER/MACHINE/NAME.json.zst, and each must be
// evidence: of a revision that others can build, verified, of figures that its samples give, without a word about the
// machine's folders.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::submission {

inline constexpr std::size_t kMostBytes = 200'000;  // of a report that is kept, compressed
inline constexpr const char* kEnding = ".json.zst";

// The report in a file, summarised. Errors, which name the file: those of reading it; a journal; a figure that is not
// the one that its samples give, to one part in a million.
Result<report::Report> read_evidence(const std::string& file);

// Why a report, summarised, is no evidence: "run/quick: found true, expected false". The first reason of each kind.
std::vector<std::string> faults_of(const report::Report& report);

// What its run began under that spoils measurements: "load: 80% of the processors".
std::vector<std::string> spoiled_by(const report::Report& report);

// What the kind of its processor and the report itself are called, in small letters, digits and dashes, by what the
// report says: "amd-epyc-25-17" (vendor, name and, of a name without a number, family and number), and
// "default-2026-11-28-733d837" (matrix, day, revision).
std::string machine_of(const report::Report& report);
std::string name_of(const report::Report& report);

// The bytes to be kept: compressed, what was measured to six digits, with who measured it, of every path from the root
// its last part, and of the kernel its number. Errors: more than kMostBytes, with what to do about it.
Result<std::string> packed(report::Report report, const std::string& measured_by);

}  // namespace gdbench::submission
