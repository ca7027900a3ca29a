#include "harness/machine/system_files.h"

#include <fstream>

namespace gdbench::machine {

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return std::nullopt;
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

std::map<std::string, std::string> key_values(const std::filesystem::path& file, char separator) {
  std::map<std::string, std::string> values;
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t split = line.find(separator);
    if (split == std::string::npos) continue;
    std::string key = line.substr(0, split);
    key.erase(key.find_last_not_of(" \t") + 1);
    const std::size_t value = line.find_first_not_of(" \t", split + 1);
    values.emplace(std::move(key), value == std::string::npos ? "" : line.substr(value));
  }
  return values;
}

}  // namespace gdbench::machine
