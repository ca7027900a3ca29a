// Implementations of MPI as this build has them: where their transports are, and how they start ranks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gdbench::ranks {

struct Library {
  std::string name;
  std::filesystem::path transport;  // see transport.h

  // Starts `count` processes of `command` on this machine, without pinning them.
  std::vector<std::string> launch_command(int count, const std::vector<std::string>& command) const;
};

// Those whose transport lies in ranks/ below one of the folders of plugins and whose launcher is on PATH; the first one
// is taken where none is asked for.
std::vector<Library> find_libraries(const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace gdbench::ranks
