#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace gdbench::data {

struct ReadingOptions {
  std::filesystem::path kept;  // the folder of converted files; empty: each goes with its dataset
  // Called while a file is read that takes long: its name and the part of it that was read, 0 to 1.
  std::function<void(const std::string& file, double part)> progress = [](const std::string&, double) {};
};

}  // namespace gdbench::data
