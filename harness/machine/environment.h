// What this machine is, for the report: a reader can tell whether two reports may be compared.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace gdbench::machine {

// JSON text:
// {
//   "cpu": {"model": "...", "vendor": "...", "family": 6, "number": 207,  (these two of x86-64 alone)
//           "logical_processors": 2, "allowed_processors": [0,1], "features": ["avx2", ...],
//           "caches": [{"level":1,"type":"Data","bytes":49152,"shared_by":1}, ...], "governor": "..." | null,
//           "frequency_mhz": ... | null},
//   "memory_bytes": N, "kernel": "...", "operating_system": "Debian GNU/Linux 12", "virtual_machine": true,
//   "load_average": [..3], "aslr": 2,
//   "build": {"compiler": "...", "flags": "...", "type": "Release", "git_revision": "...", "git_dirty": false,
//             "git_committed_at": "..."},
//   "libraries": {"google_benchmark": "...", "nlohmann_json": "3.11.2", "cli11": "2.1.2"}
// }
// What cannot be read is null, never guessed. Host names, user names and paths are not recorded; folders in compiler
// flags read "(path)". `root` is where proc, sys and etc lie.
std::string environment(const std::filesystem::path& root = "/");

// The kernel's small text files; what cannot be read is nothing, never guessed.

// The first line of a file, without the white space around it; nothing where it cannot be read or is empty.
std::optional<std::string> first_line(const std::filesystem::path& file);

// "key<separator>value" lines; the first of a key counts.
std::map<std::string, std::string> key_values(const std::filesystem::path& file, char separator);

}  // namespace gdbench::machine
