// Is the new build slower than the base? Of two arms that were measured side by side in one run, or of two runs.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::compare {

// Arms are neighbours in time; two runs are not, and how much a machine drifts between them was not measured.
constexpr double kMarginOfArms = 0.01;
constexpr double kMarginOfReports = 0.03;

// Of what is judged next to steps, unless it has one of its own.
constexpr double margin_of(report::Quantity quantity) {
  return report::is_counted(quantity) ? 0.01 : report::is_memory(quantity) ? 0.05 : 0.1;
}

struct CompareOptions {
  double margin = kMarginOfReports;  // of steps, where no gate has one for the cell
  std::vector<report::Gate> gates{};
  double confidence = 0.99;  // that no cell is called regressed or improved that is not, over all of them
  bool force = false;        // compare reports of different machines
};

// Cells of the arm new and those of the arm base in one report, paired by launch and round. Where a cell was
// confirmed by launches of its own (report::Cell::confirmed_from), both parts must agree; where a build has a padded
// one next to it (harness/report/arm.h), all of them must, and the interval spans all of theirs.
report::ReportComparison compare_arms(const report::Report& report, const CompareOptions& options);

// Cells of two reports, each in its arm "new"; paired where both are of one run. The margin is at least what either run
// was off by: its controls, and how far the later half of its launches is from the earlier.
report::ReportComparison compare_reports(const report::Report& base, const report::Report& next,
                                         const CompareOptions& options);

// Of two reports what a step takes over that of the report's baseline, which the machines need not be alike for. Each
// side's ratio is of its own launches; there are no gates.
report::ReportComparison compare_ratios(const report::Report& base, const report::Report& next,
                                        const CompareOptions& options);

// Whether two reports come from machines whose times can be compared: parts of an environment
// (harness/machine/environment.h), as JSON pointers. What times depend on: not the load or the frequency of the moment,
// which differ from run to run, nor memory_bytes, which a hypervisor changes.
inline constexpr const char* kMachine[] = {"/cpu/model",
                                           "/cpu/vendor",
                                           "/cpu/features",
                                           "/cpu/caches",
                                           "/cpu/logical_processors",
                                           "/cpu/allowed_processors",
                                           "/cpu/governor",
                                           "/kernel",
                                           "/virtual_machine"};
// What the build can be blamed for. Builds may differ, that is what is compared; a reader should know.
inline constexpr const char* kBuild[] = {"/build/compiler", "/build/flags", "/build/type", "/libraries"};
// The sources that were built.
inline constexpr const char* kRevision[] = {"/build/git_revision", "/build/git_dirty"};

// The first of these that is not the same in two environments, JSON text: "cpu/model: found \"A\", the base has \"B\"".
// Empty where all of them are.
std::string first_difference(std::span<const char* const> parts, const std::string& base, const std::string& next);

// What each kind of machine measured together, kinds and members in the order in which they come. `environment_of` is
// that of a member.
template <class Member, class EnvironmentOf>
std::vector<std::vector<Member>> by_machine(std::vector<Member> members, const EnvironmentOf& environment_of) {
  std::vector<std::vector<Member>> kinds;
  for (Member& member : members) {
    const auto kind = std::ranges::find_if(kinds, [&](const std::vector<Member>& known) {
      return first_difference(kMachine, environment_of(known.front()), environment_of(member)).empty();
    });
    (kind == kinds.end() ? kinds.emplace_back() : *kind).push_back(std::move(member));
  }
  return kinds;
}

}  // namespace gdbench::compare
