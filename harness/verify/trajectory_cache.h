// ReferenceTrajectories on disk, for runs that ask for the same one again. A fault of a file is no error:
// the reference trajectory is made anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/scenario/problem.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify {

// A file that ends in this holds one.
constexpr const char* kTrajectorySuffix = ".trajectory";

// Of all of a folder's; the files that were not used for longest go first.
constexpr std::uintmax_t kCacheBytes = std::uintmax_t{1} << 30;

class TrajectoryCache {
 public:
  // Nothing is kept where the folder's name is empty. It is made when something is kept.
  explicit TrajectoryCache(std::filesystem::path folder, std::uintmax_t max_bytes = kCacheBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // `identity` names everything that the reference trajectory was made from but `start`: scenario, data and arithmetic.
  // A file that is damaged, cut off or of another build's reference counts as none.
  std::optional<ReferenceTrajectory> find(const std::string& identity, const scenario::State& start) const;

  // Written under another name and renamed: a reader never sees half a file.
  void keep(const std::string& identity, const scenario::State& start, const ReferenceTrajectory& reference) const;

 private:
  std::filesystem::path folder_;
  std::uintmax_t max_bytes_;
};

}  // namespace gdbench::verify
