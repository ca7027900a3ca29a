// Reading the kernel's small text files; what cannot be read is nothing, never guessed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace gdbench::machine {

// The first line of a file, without the white space around it; nothing where it cannot be read or is empty.
std::optional<std::string> first_line(const std::filesystem::path& file);

// "key<separator>value" lines; the first of a key counts.
std::map<std::string, std::string> key_values(const std::filesystem::path& file, char separator);

}  // namespace gdbench::machine
