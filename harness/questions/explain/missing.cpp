#include "harness/questions/explain/missing.h"

#include <algorithm>
#include <cmath>

#include "harness/questions/explain/phases.h"

namespace gdbench::explain {

namespace {

// A verdict across scenarios needs seven, one of a few per cent more.
constexpr int kManyLaunches = 12;
// Of the difference, what reading the clock may take before no number of profiles tells its phases.
constexpr double kMaxOverhead = 0.5;
// Profiles beyond so many narrow a phase's time little.
constexpr int kManyProfiles = 5;

using Parts = std::vector<std::string>;

void add_once(Parts& parts, const std::string& part) {
  if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
}

// "gdbench run", "scenario mlp-10-50-1", "impl hand/eigen", "set batch=64" ... of the command that repeats a cell.
Parts parts_of(const std::string& command) {
  Parts parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = command.find(" --", start);
    parts.push_back(command.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 3;
  }
}

std::string command_of(const Parts& parts) {
  std::string command;
  for (const std::string& part : parts) command += (command.empty() ? "" : " --") + part;
  return command;
}

std::string without_quotes(const std::string& json) {
  return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

// What `cell` has where the other one has the part "set KEY=VALUE"; nothing where its scenario has no such key.
std::optional<std::string> own_setting(const report::Cell& cell, bool is_a, const std::string& part,
                                       const report::Explanation& explanation) {
  constexpr std::string_view kSet = "set ";
  const std::size_t equals = part.find('=');
  if (!part.starts_with(kSet) || equals == std::string::npos) return std::nullopt;
  const std::string key = part.substr(kSet.size(), equals - kSet.size());
  const std::string prefix = part.substr(0, equals + 1);
  constexpr std::string_view kOption = "impl.";
  if (key.starts_with(kOption)) {
    if (!cell.default_options) return std::nullopt;
    const auto known = cell.default_options->find(key.substr(kOption.size()));
    return known == cell.default_options->end() ? std::nullopt : std::optional(prefix + known->second);
  }
  for (const report::KeyDifference& difference : explanation.differing) {
    // Short names stand for the last part of a key, or for the group that its kind or its rows are in.
    const bool same = difference.key == key || difference.key == key + ".kind" || difference.key == key + ".rows" ||
                      difference.key.ends_with("." + key);
    const std::string& value = is_a ? difference.a : difference.b;
    if (same && !value.empty()) return prefix + without_quotes(value);
  }
  return std::nullopt;
}

// One run of both cells, and of what their settings make besides.
std::string run_of_both(const report::Cell& a, const report::Cell& b, const report::Explanation& explanation) {
  const Parts of_a = parts_of(a.repeat);
  const Parts of_b = parts_of(b.repeat);
  const auto sets = [](const Parts& parts, const std::string& other) {
    const std::string prefix = other.substr(0, other.find('=') + 1);
    return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return part.starts_with(prefix); });
  };
  Parts parts;
  for (const char* kind : {"gdbench", "scenario", "impl", "env", "set", "threads"}) {
    for (const auto& [own, other, other_cell] : {std::tuple(&of_a, &of_b, &b), std::tuple(&of_b, &of_a, &a)}) {
      for (const std::string& part : *own) {
        if (!part.starts_with(kind)) continue;
        add_once(parts, part);
        if (part.find('=') == std::string::npos || sets(*other, part)) continue;
        if (const auto value = own_setting(*other_cell, other_cell == &a, part, explanation)) add_once(parts, *value);
      }
    }
  }
  if (a.threads != b.threads) {
    add_once(parts, "threads " + std::to_string(a.threads));
    add_once(parts, "threads " + std::to_string(b.threads));
  }
  parts.push_back("launches " +
                  std::to_string(std::max(kManyLaunches, 2 * explanation.whole.comparison.ratio.launches)));
  return command_of(parts);
}

// Parts that can be switched off, or the emptiest step of frameworks; nothing for a cell that has neither.
std::string command_for_one_piece(const report::Cell& cell, bool compiled) {
  Parts parts = parts_of(cell.repeat);
  if (cell.summary->import_seconds) {
    std::erase_if(parts, [](const std::string& part) { return !part.starts_with("env "); });
    parts.insert(parts.begin(), {"gdbench run floor", "impl " + cell.implementation});
    return command_of(parts);
  }
  if (!compiled) return "";
  const auto scenario =
      std::find_if(parts.begin(), parts.end(), [](const std::string& part) { return part.starts_with("scenario "); });
  if (scenario == parts.end()) return "";
  parts.front() = "gdbench ablate" + scenario->substr(scenario->find(' '));
  parts.erase(scenario);
  return command_of(parts);
}

bool offers_none(const report::Report& report, const report::Cell& cell) {
  const std::string note = cell.implementation + " offers no profile";
  return std::find(report.notes.begin(), report.notes.end(), note) != report.notes.end();
}

// Whether a phase is a cause, or every part of a walk over the axes has a verdict.
bool is_explained(const report::Explanation& explanation) {
  const auto is_cause = [](const report::PhasePart& part) {
    return part.contribution.standing == report::Standing::cause;
  };
  if (explanation.profiles) {
    const std::vector<report::PhasePart>& phases = explanation.profiles->phases;
    if (std::any_of(phases.begin(), phases.end(), is_cause)) return true;
  }
  return std::any_of(explanation.paths.begin(), explanation.paths.end(), [](const report::AxisPath& path) {
    if (path.parts.size() == 1 || path.parts.front().axis == report::kWholeImplementation) return false;
    return std::all_of(path.parts.begin(), path.parts.end(), [](const report::AxisPart& part) {
      return part.difference.comparison.verdict != stats::Verdict::inconclusive;
    });
  });
}

}  // namespace

std::vector<report::MissingEvidence> missing_evidence(const report::Report& report, const report::Cell& a,
                                                      const report::Cell& b, const report::Explanation& explanation) {
  if (explanation.whole.comparison.verdict == stats::Verdict::equivalent) return {};
  const std::string both = run_of_both(a, b, explanation);
  if (!explanation.differs()) return {{report::Lack::launches, "", both}};
  if (is_explained(explanation)) return {};
  std::vector<report::MissingEvidence> missing;
  bool repeatable = false;
  for (const auto& [cell, step_ns] :
       {std::pair(&a, explanation.a_step_ns.value), std::pair(&b, explanation.b_step_ns.value)}) {
    const report::ProfileBasis basis = profile_basis(*cell, step_ns);
    if (basis.profiles == 0) {
      const bool none = offers_none(report, *cell);
      missing.push_back({none ? report::Lack::no_profile : report::Lack::profile, cell->id, none ? "" : both});
    } else if (basis.one_piece) {
      missing.push_back({report::Lack::one_piece, cell->id, command_for_one_piece(*cell, basis.compiled)});
    } else if (basis.overhead_ns > kMaxOverhead * std::abs(explanation.whole.difference_ns.value)) {
      missing.push_back({report::Lack::clock, cell->id, ""});
    }
    repeatable = repeatable || basis.profiles < kManyProfiles;
  }
  if (missing.empty()) missing.push_back({repeatable ? report::Lack::repeats : report::Lack::launches, "", both});
  return missing;
}

}  // namespace gdbench::explain
