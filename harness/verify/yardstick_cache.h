// Yardsticks on disk, for runs that ask for the same one again. Whatever goes wrong with a file is no error: the
// yardstick is made anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/scenario/problem.h"
#include "harness/verify/yardstick.h"

namespace gdbench::verify {

// A file that ends in this holds one.
constexpr const char* kYardstickSuffix = ".yardstick";

// Of all of a folder's; the files that were not used for longest go first.
constexpr std::uintmax_t kCacheBytes = std::uintmax_t{1} << 30;

class YardstickCache {
 public:
  // Nothing is kept where the folder's name is empty. It is made when something is kept.
  explicit YardstickCache(std::filesystem::path folder, std::uintmax_t most_bytes = kCacheBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // `identity` names everything that the yardstick was made from but `start`: scenario, data and arithmetic. A file
  // that is damaged, cut off or of another build's reference counts as none.
  std::optional<Yardstick> find(const std::string& identity, const scenario::State& start) const;

  // Written beside and renamed: a reader never sees half a file.
  void keep(const std::string& identity, const scenario::State& start, const Yardstick& yardstick) const;

 private:
  void make_room() const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

// gdbench/reference in $XDG_CACHE_HOME or in ~/.cache; empty where neither is known.
std::filesystem::path default_cache_folder();

}  // namespace gdbench::verify
