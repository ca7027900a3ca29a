#include "app/invocation.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "app/console.h"
#include "app/own_files.h"
#include "app/python_environments.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/machine/build_information.h"
#include "harness/report/environment.h"
#include "harness/report/report_file.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

volatile std::sig_atomic_t signals_seen = 0;

void on_signal(int) {
  signals_seen = signals_seen + 1;
  // The first signal ends the run in order; whoever insists gets out at once (workers die with us).
  if (signals_seen > 2) _exit(kInterrupted);
}

fs::path binary_file() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::vector<fs::path> split_path_list(const char* variable) {
  std::vector<fs::path> folders;
  const char* text = std::getenv(variable);
  std::istringstream list(text == nullptr ? "" : text);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

// Plugins of a build or an installation whose binary lies in `bin`.
std::vector<fs::path> plugin_folders_of(const fs::path& bin) {
  std::vector<fs::path> folders;
  for (const char* candidate : {"../lib/gdbench", "../" GDBENCH_INSTALL_PLUGIN_DIR}) {
    const fs::path folder = (bin / candidate).lexically_normal();
    const bool known = std::ranges::find(folders, folder) != folders.end();
    if (!known && fs::is_directory(folder)) folders.push_back(folder);
  }
  return folders;
}

// Sanitized builds have none.
fs::path allocation_counter_in(const std::vector<fs::path>& plugin_folders) {
  for (const fs::path& folder : plugin_folders) {
    const fs::path file = folder / "preload" / "libgdbench_allocations.so";
    if (fs::is_regular_file(file)) return file;
  }
  return {};
}

// Whether a variable is set to anything but nothing or "0".
bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

protocol::Arm empty_arm() {
  protocol::Arm arm;
  arm.allows_writable_plugins = is_set("GDBENCH_ALLOW_WRITABLE_PLUGINS");
  return arm;
}

// The user's own, by the XDG Base Directory Specification.
std::vector<fs::path> user_plugin_folders() {
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (data != nullptr && fs::path(data).is_absolute()) {
    folder = fs::path(data) / "gdbench/plugins";
  } else if (home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".local/share/gdbench/plugins";
  }
  std::error_code error;
  return fs::is_directory(folder, error) ? std::vector<fs::path>{folder} : std::vector<fs::path>{};
}

// Without the plugins of the user and those that the environment names.
protocol::Arm own_build() {
  protocol::Arm arm = empty_arm();
  arm.worker = binary_file();
  arm.plugin_folders = plugin_folders_of(arm.worker.parent_path());
  arm.allocation_counter = allocation_counter_in(arm.plugin_folders);
  return arm;
}

bool holds_plugins(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename();
    return name.ends_with(".so") || name.ends_with(".adapter.json");
  });
}

}  // namespace

std::vector<fs::path> scenario_folders() {
  std::vector<fs::path> folders = split_path_list("GDBENCH_SCENARIO_PATH");
  const fs::path bin = binary_file().parent_path();
  std::error_code error;
  // Installed below a prefix, in a package that travels (scripts/gpu-package), or in build/<preset>/bin of the source
  // tree, below which such a package may lie.
  for (const char* candidate : {"../share/gdbench/scenarios", "../scenarios", "../../../scenarios"}) {
    const fs::path folder = (bin / candidate).lexically_normal();
    if (!fs::is_directory(folder)) continue;
    // The variable may name the same folder.
    const bool known =
        std::ranges::any_of(folders, [&](const fs::path& other) { return fs::equivalent(folder, other, error); });
    if (!known) folders.push_back(folder);
    break;
  }
  return folders;
}

std::vector<fs::path> files_beside_scenarios(const std::string& kind) {
  std::vector<fs::path> files;
  for (const fs::path& folder : scenario_folders()) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / kind, error)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<fs::path> find_matrix(const std::string& name) {
  if (scenario::is_path(name)) return fs::path(name);
  const std::vector<fs::path> files = files_beside_scenarios(kMatrices);
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  return usage_error("found no matrix " + in_quotes(name) + ", expected a file or " + one_of(name, names));
}

Result<scenario::KnownScenario> find_scenario(const std::string& name) {
  if (scenario::is_path(name)) return scenario::KnownScenario{name, name};
  std::vector<scenario::KnownScenario> known = TRY(scenario::list_scenarios(scenario_folders()));
  std::vector<std::string> names;
  for (scenario::KnownScenario& candidate : known) {
    if (candidate.name == name) return std::move(candidate);
    names.push_back(candidate.name);
  }
  return usage_error("found no scenario " + in_quotes(name) + ", expected a file or " + one_of(name, names));
}

protocol::Arm this_build() {
  protocol::Arm arm = own_build();
  for (const std::vector<fs::path>& folders : {user_plugin_folders(), split_path_list("GDBENCH_PLUGIN_PATH")}) {
    arm.plugin_folders.insert(arm.plugin_folders.end(), folders.begin(), folders.end());
  }
  arm.files = own_files();
  arm.environments = environments();
  return arm;
}

bool is_brought(const protocol::Arm& arm, const fs::path& plugin) {
  const std::vector<fs::path> own = plugin_folders_of(arm.worker.parent_path());
  return std::ranges::find(own, plugin.parent_path()) == own.end();
}

Result<protocol::Arm> other_build(const std::string& option, const fs::path& folder) {
  protocol::Arm arm = empty_arm();
  arm.worker = fs::absolute(folder / "bin" / "gdbench");
  if (fs::is_regular_file(arm.worker)) {
    arm.plugin_folders = plugin_folders_of(arm.worker.parent_path());
    if (std::ranges::none_of(arm.plugin_folders, holds_plugins)) {
      return usage_error(
          cat(option, " ", folder.string(), ": found bin/gdbench without implementations, expected them in ",
              joined(std::vector<std::string>(arm.plugin_folders.begin(), arm.plugin_folders.end()), " or "),
              " (target implementations/all)"));
    }
    arm.allocation_counter = allocation_counter_in(arm.plugin_folders);
    return arm;
  }
  if (!holds_plugins(folder)) {
    return usage_error(cat(option, " ", folder.string(),
                           ": found neither bin/gdbench nor a plugin in it, expected a build,",
                           " an installation or a folder of plugins"));
  }
  arm = own_build();
  arm.plugin_folders.push_back(fs::absolute(folder));
  return arm;
}

int report_error(const Error& error) {
  print_error("gdbench: " + error.message);
  const bool of_a_cell =
      error.kind != ErrorKind::usage && error.kind != ErrorKind::failed && error.kind != ErrorKind::exhausted;
  return of_a_cell ? kFailedCells : kUsage;
}

int report_interrupted(const std::string& kept) {
  print_error(cat("gdbench: interrupted", kept.empty() ? "" : "; ", kept));
  return kInterrupted;
}

Status write_text(const std::string& text, const std::string& path) {
  if (path == "-") {
    print_text(text);
    return {};
  }
  TRY(refuse_link_of_others(path));
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found || type == fs::file_type::regular)
    return report::write_whole(escape_controls(text), path);
  std::ofstream file(path, std::ios::binary);  // a device, a pipe, what a link names
  file << escape_controls(text);
  file.close();
  if (file) return {};
  return usage_error(path + ": cannot be written: " + std::strerror(errno));
}

bool interrupted() { return signals_seen > 0; }

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;  // what is being printed must still come through
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

bool width_is_known() { return std::getenv("COLUMNS") != nullptr || isatty(STDOUT_FILENO) != 0; }

int terminal_width(int descriptor) {
  const char* columns = std::getenv("COLUMNS");
  const int asked = columns == nullptr ? 0 : std::atoi(columns);
  if (asked > 0) return asked;
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 100;
}

std::string build_name() {
  const std::string revision = report::revision_of({{"build", machine::build_information()}});
  return revision.empty() ? GDBENCH_VERSION : GDBENCH_VERSION " " + revision;
}

std::string version_text() {
  const Json environment = {{"build", machine::build_information()}};
  const auto or_unknown = [](const std::string& text) { return text.empty() ? std::string("unknown") : text; };
  return cat("gdbench " GDBENCH_VERSION, "\nrevision: ", or_unknown(report::revision_of(environment)),
             "\nbuild type: ", or_unknown(report::text_at(environment, "/build/type")),
             "\ncompiler: ", or_unknown(report::text_at(environment, "/build/compiler")));
}

}  // namespace gdbench::app
