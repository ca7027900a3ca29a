#include "implementations/backends/jit/dump.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "implementations/backends/jit/loops/text.h"

namespace gdbench::backends::jit {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("dump: cannot write " + path.string());
}

}  // namespace

void dump(const std::string& folder, const std::string& name, const Region& region, const std::string& plan,
          const Program& program, const Listing& listing) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = folder;
  write(path / (name + "-region.txt"), text_of(region));
  write(path / (name + "-plan.txt"), plan);
  write(path / (name + ".cpp"), text_of(program));
  write(path / (name + ".ll"), listing.intermediate);
  write(path / (name + ".s"), listing.assembly);
}

}  // namespace gdbench::backends::jit
