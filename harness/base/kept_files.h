// What this program keeps between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gdbench {

// gdbench/WHAT in $XDG_CACHE_HOME or in ~/.cache; empty where neither is known.
std::filesystem::path default_cache_folder(std::string_view what);

// Of the files of a folder whose names hold `part`, removes those that were not used for longest, until the others have
// at most so many bytes. The one that was used last stays in any case.
void keep_recent(const std::filesystem::path& folder, std::string_view part, std::uintmax_t max_bytes);

}  // namespace gdbench
