// What every command shares: the arguments it was called with, where things are, and how it ends.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/protocol/discovery.h"
#include "harness/scenario/matrix.h"

namespace gdbench::app {

// Exit statuses; scripts and CI rely on them.
constexpr int kFine = 0;
constexpr int kRegressed = 1;     // confirmed
constexpr int kUsage = 2;         // usage, configuration, or output that cannot be written
constexpr int kFailedCells = 3;   // an implementation crashed, timed out, is wrong or untrusted
constexpr int kInconclusive = 4;  // nothing could be decided
constexpr int kInterrupted = 130;

struct Invocation {
  std::vector<std::string> command;  // argv, for the report
  int status = kFine;                // set by the command that ran
};

// Folders with scenarios: GDBENCH_SCENARIO_PATH, and the project's or the installation's own, found from the binary.
std::vector<std::filesystem::path> scenario_folders();

// The *.json in a folder beside the scenarios, by path.
constexpr const char* kMatrices = "matrices";
constexpr const char* kClaims = "claims";
std::vector<std::filesystem::path> files_beside_scenarios(const std::string& kind);

// A matrix by name ("default", from the matrices folder beside the scenarios) or by path. Errors list what there is.
Result<std::filesystem::path> find_matrix(const std::string& name);

// A scenario by name or by path of its file.
Result<scenario::KnownScenario> find_scenario(const std::string& name);

// The arm of this very build, with the plugins of the user and those of GDBENCH_PLUGIN_PATH, in this order.
protocol::Arm this_build();
// Whether a plugin is none of the arm's build, but what somebody brought.
bool is_brought(const protocol::Arm& arm, const std::filesystem::path& plugin);

// The arm of another folder that `option` names: a build or an installation of gdbench; or a folder of plugins, which
// this build's worker then hosts in place of those. Errors: it is neither.
Result<protocol::Arm> other_build(const std::string& option, const std::filesystem::path& folder);

// Prints "gdbench: MESSAGE" to stderr and returns the exit status that fits.
int report_error(const Error& error);

// Prints "gdbench: interrupted", with what is kept of it where there is something, and returns the exit status.
int report_interrupted(const std::string& kept = "");

// Writes a whole file, or to stdout for "-". Errors: it cannot be written; a file that lies there is then as it was.
Status write_text(const std::string& text, const std::string& path);

// True once SIGINT or SIGTERM came.
bool interrupted();
void install_signal_handlers();

bool colour_wanted();  // on stdout
// COLUMNS where that is set, else that of the descriptor's terminal, else 100.
int terminal_width(int descriptor = STDOUT_FILENO);
// Whether somebody said it: COLUMNS, or a terminal.
bool width_is_known();

// "0.1.0", with the revision where it is known: what a worker says of itself.
std::string build_name();

// What --version prints: the version, and a line each for the revision, the build type and the compiler, as reports
// record them.
std::string version_text();

}  // namespace gdbench::app
