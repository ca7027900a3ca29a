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

std::string launcher_of(const std::string& library) { return "mpirun." + library; }

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
    if (!is_on_path(launcher_of(name))) continue;
    for (const fs::path& folder : plugin_folders) {
      const fs::path transport = folder / "ranks" / (std::string(name) + ".so");
      if (!fs::is_regular_file(transport)) continue;
      found.push_back({name, transport});
      break;
    }
  }
  return found;
}

// Processes of this machine whatever scheduler it belongs to, where gdbench says which processor each has.
std::vector<std::string> Library::launch_command(int count, const std::vector<std::string>& command) const {
  std::vector<std::string> line = {launcher_of(name)};
  if (name == kOpenMpi) {
    line.insert(line.end(), {"--mca", "plm", "isolated", "--oversubscribe", "--bind-to", "none"});
    if (geteuid() == 0) line.emplace_back("--allow-run-as-root");
  } else {
    line.insert(line.end(), {"-launcher", "fork", "-bind-to", "none"});
  }
  line.insert(line.end(), {"-n", std::to_string(count)});
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

}  // namespace gdbench::ranks
