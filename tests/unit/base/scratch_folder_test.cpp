#include "harness/base/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace gdbench {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, GoesWithWhatIsInIt) {
  fs::path path;
  {
    Result<ScratchFolder> made = ScratchFolder::make_in_memory("gdbench-ranks");
    ASSERT_TRUE(made.ok());
    ScratchFolder moved;
    moved = std::move(*made);
    path = moved.path();
    fs::create_directories(path / "below");
    std::ofstream(path / "below" / "file") << "x";
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

// A process that ends without cleaning up, and one that is still there.
TEST(ScratchFolder, IsRemovedOnceItsProcessIsGone) {
  Result<ScratchFolder> own = ScratchFolder::make_in_memory("gdbench-ranks");
  ASSERT_TRUE(own.ok());
  const pid_t child = fork();
  if (child == 0) {
    const Result<ScratchFolder> left = ScratchFolder::make_in_memory("gdbench-ranks");
    _exit(left.ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto of_child = [&]() -> std::optional<fs::path> {
    for (const fs::directory_entry& entry : fs::directory_iterator(own->path().parent_path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("gdbench-ranks-" + std::to_string(child) + "-")) return entry.path();
    }
    return std::nullopt;
  };
  ASSERT_TRUE(of_child().has_value());
  const Result<ScratchFolder> next = ScratchFolder::make_in_memory("gdbench-ranks");
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(of_child().has_value());
  EXPECT_TRUE(fs::exists(own->path()));
}

}  // namespace
}  // namespace gdbench
