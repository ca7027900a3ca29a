#include "harness/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/scratch_folder.h"
#include "harness/base/shared_memory.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench {
namespace {

TEST(ReadFile, ReadsRegularFilesUpToALimit) {
  const tests::TemporaryFolder own;
  const std::filesystem::path& folder = own.path();
  const std::filesystem::path file = folder / "f";
  std::ofstream(file, std::ios::binary) << std::string("a\0b\n", 4);
  EXPECT_EQ(read_file(file, "text", 4).value(), std::string("a\0b\n", 4));
  EXPECT_EQ(read_file(file, "text", 3).error().message,
            file.string() + ": found 4 bytes (at most 3 are read), expected text");
  EXPECT_EQ(read_file(folder, "text", 3).error().message, folder.string() + ": found a folder, expected text");
  EXPECT_EQ(read_file(folder / "g", "text", 3).error().message,
            (folder / "g").string() + ": found no such file, expected text");
  rlimit descriptors{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &descriptors), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = descriptors.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(read_file(file, "text", 4).error().message, file.string() + ": found Too many open files, expected text");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &descriptors), 0);
  // A pipe without a writer would block for ever.
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(unreadable_because(folder / "pipe"), "something that is no regular file");
  EXPECT_EQ(unreadable_because(file), "");
}

// Only root can make links of others.
TEST(LinksOfOthers, AreRefused) {
  const tests::TemporaryFolder own;
  const std::filesystem::path& folder = own.path();
  const std::filesystem::path link = folder / "link";
  std::ofstream(folder / "f") << "text";
  EXPECT_TRUE(refuse_link_of_others(folder / "f").ok());
  EXPECT_TRUE(refuse_link_of_others(folder / "no such file").ok());
  std::filesystem::create_symlink("f", link);
  EXPECT_TRUE(refuse_link_of_others(link).ok());
  if (geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(lchown(link.c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(refuse_link_of_others(link).error().message,
              link.string() + ": found a symbolic link of user 65534, expected a file, or a link of your own");
  }
}

TEST(PhysicalMemory, IsKnown) { EXPECT_GT(physical_memory(), std::uintmax_t{1} << 24U); }

namespace fs = std::filesystem;

TEST(ScratchFolder, GoesWithWhatIsInIt) {
  fs::path path;
  {
    Result<ScratchFolder> made = ScratchFolder::make_in_memory("gdbench-ranks");
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

TEST(SharedMemory, IsZeroedAlignedAndSharedByDescriptor) {
  Result<SharedMemory> made = SharedMemory::create("test", 100);
  ASSERT_TRUE(made.ok()) << made.error().message;
  SharedMemory& memory = made.value();
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(memory.data()[i], std::byte{0});

  const Result<SharedMemory> second =
      SharedMemory::adopt(dup(memory.descriptor()), 100, SharedMemory::Access::read_only);
  ASSERT_TRUE(second.ok()) << second.error().message;
  memory.data()[99] = std::byte{7};
  EXPECT_EQ(second->data()[99], std::byte{7});
}

TEST(SharedMemory, SealedCanBeWrittenByItsOwnerAlone) {
  Result<SharedMemory> made = SharedMemory::create("test", 100);
  EXPECT_NE(ftruncate(made->descriptor(), 10), 0) << "its size is fixed from the beginning";
  const auto writable = [&] {
    return SharedMemory::adopt(dup(made->descriptor()), 100, SharedMemory::Access::read_write).ok();
  };
  EXPECT_TRUE(writable());
  if (!made->seal().ok()) GTEST_SKIP() << "the kernel cannot seal memory like this (Linux 5.1 can)";
  EXPECT_FALSE(writable());
  EXPECT_NE(pwrite(made->descriptor(), "x", 1, 0), 1);
  EXPECT_TRUE(SharedMemory::adopt(dup(made->descriptor()), 100, SharedMemory::Access::read_only).ok());
  made->data()[0] = std::byte{1};
}

// Of a machine whose neighbour gives its memory back after so many readings.
MemorySource source_after(int readings, std::chrono::milliseconds patience, std::vector<std::string>& said) {
  return {.available_bytes = [readings]() mutable { return std::uint64_t{readings-- > 0 ? 0U : 1000U}; },
          .physical_bytes = 1000,
          .patience = patience,
          .say = [&said](const std::string& line) { said.push_back(line); }};
}

TEST(SharedMemory, WaitsWhereMemoryIsShortForAMomentAndRefusesWhatIsNotThereThen) {
  std::vector<std::string> said;
  const MemorySource moment = source_after(3, std::chrono::seconds(10), said);
  EXPECT_TRUE(SharedMemory::create("test", 1000, moment).ok());
  const std::string waiting = "waiting up to 10 s for 1000 bytes of memory: the machine has 0 available";
  EXPECT_EQ(said, std::vector<std::string>{waiting}) << "once, however often it asks";
  EXPECT_TRUE(SharedMemory::create("test", 1000, source_after(0, std::chrono::seconds(10), said)).ok());
  EXPECT_EQ(said.size(), 1U) << "nothing to wait for";
  const MemorySource none = source_after(1'000'000, std::chrono::milliseconds(150), said);
  EXPECT_EQ(SharedMemory::create("test", 1000, none).error().message,
            "cannot reserve 1000 bytes of shared memory: the machine has 0 available");
  EXPECT_EQ(said.size(), 2U);
  EXPECT_FALSE(SharedMemory::create("test", 1001, source_after(0, std::chrono::hours(1), said)).ok());
  EXPECT_EQ(said.size(), 2U) << "what the machine never has is not waited for";
}

}  // namespace
}  // namespace gdbench
