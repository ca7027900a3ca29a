#include "harness/ranks/library.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace gdbench::ranks {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenMpi = "openmpi";
constexpr const char* kMpich = "mpich";

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Library> find_libraries(const std::vector<fs::path>& plugin_folders) {
  std::vector<Library> found;
  for (const char* name : {kOpenMpi, kMpich}) {
    for (const fs::path& folder : plugin_folders) {
      const Library library{name, folder / "ranks" / (std::string(name) + ".so")};
      if (!fs::is_regular_file(library.transport) || !is_on_path(library.launcher())) continue;
      found.push_back(library);
      break;
    }
  }
  return found;
}

// Processes of this machine, under any scheduler, where gdbench says which processor each has.
std::vector<std::string> Library::launch_command(int count, const fs::path& scratch,
                                                 const std::vector<std::string>& command) const {
  std::vector<std::string> line = {launcher()};
  if (name == kOpenMpi) {
    line.insert(line.end(), {"--mca", "plm", "isolated", "--oversubscribe", "--bind-to", "none"});
    for (const char* folder : {"orte_tmpdir_base", "btl_vader_backing_directory"}) {
      line.insert(line.end(), {"--mca", folder, scratch.string()});
    }
    if (geteuid() == 0) line.emplace_back("--allow-run-as-root");
  } else {
    line.insert(line.end(), {"-launcher", "fork", "-bind-to", "none", "-genv", "UCX_POSIX_DIR", scratch.string()});
  }
  line.insert(line.end(), {"-n", std::to_string(count)});
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

}  // namespace gdbench::ranks
