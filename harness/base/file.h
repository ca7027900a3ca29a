#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace gdbench {

// "FILE: found FOUND, expected EXPECTED", on one line: what is wrong with a file that a user gave.
Error file_error(const std::filesystem::path& file, const std::string& found, const std::string& expected);

// The bytes of a regular file. Errors: "FILE: found no such file, expected WHAT" and the like for a folder, an
// unreadable file and one of more than `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& file, const std::string& what, std::uintmax_t max_bytes);

// Why `file` cannot be read as a regular file ("no such file"); empty where it can.
std::string unreadable_because(const std::filesystem::path& file);

// Refuses a symbolic link of a user other than this one and root: it decides which file is written.
Status refuse_link_of_others(const std::filesystem::path& file);

// Whether `number` spells a process that there is no more, so that what it has left lying can be removed.
bool is_gone_process(std::string_view number);

// How many of a file's bytes lie in the page cache; nothing where that is unknown. Reads none of them.
std::optional<std::int64_t> cached_bytes(const std::filesystem::path& file);

// Bytes of the machine's physical memory.
std::uintmax_t physical_memory();

}  // namespace gdbench
