// Implementations of MPI as this build has them: where their transports are, and how they start ranks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gdbench::ranks {

struct Library {
  std::string name;
  std::filesystem::path transport;  // see transport.h

  // What starts processes with this library, a program on PATH.
  std::string launcher() const { return "mpirun." + name; }
  // Starts `count` processes of `command` on this machine, unpinned. Their library's files are in `scratch`.
  std::vector<std::string> launch_command(int count, const std::filesystem::path& scratch,
                                          const std::vector<std::string>& command) const;
};

// Those whose transport lies in ranks/ below one of the folders of plugins and whose launcher is on PATH; the first one
// is taken where none is asked for.
std::vector<Library> find_libraries(const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace gdbench::ranks
