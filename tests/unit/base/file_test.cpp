#include "harness/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

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

}  // namespace
}  // namespace gdbench
