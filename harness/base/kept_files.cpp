#include "harness/base/kept_files.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <tuple>
#include <vector>

namespace gdbench {

namespace fs = std::filesystem;

fs::path default_cache_folder(std::string_view what) {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "gdbench" / what;
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache/gdbench" / what;
  return {};
}

void keep_recent(const fs::path& folder, std::string_view part, std::uintmax_t max_bytes) {
  std::vector<std::tuple<fs::file_time_type, std::uintmax_t, fs::path>> files;  // last use, bytes
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().find(part) == std::string::npos) continue;
    std::error_code gone;
    const std::uintmax_t bytes = entry->file_size(gone);
    const fs::file_time_type used = entry->last_write_time(gone);
    if (gone) continue;  // another process removed it
    files.emplace_back(used, bytes, entry->path());
    total += bytes;
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + 1 < files.size() && total > max_bytes; ++i) {
    fs::remove(std::get<fs::path>(files[i]), error);
    total -= std::get<std::uintmax_t>(files[i]);
  }
}

}  // namespace gdbench
