#include "harness/ranks/library.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/reports/temporary_folder.h"

namespace gdbench::ranks {
namespace {

namespace fs = std::filesystem;

class RankLibraries : public testing::Test {
 protected:
  RankLibraries() {
    setenv("PATH", (folder_ / "bin").c_str(), 1);
    fs::create_directories(folder_ / "bin");
  }
  ~RankLibraries() override { setenv("PATH", path_.c_str(), 1); }

  void put(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  std::vector<std::string> found() const {
    std::vector<std::string> names;
    for (const Library& library : find_libraries({folder_ / "a", folder_ / "b"})) names.push_back(library.name);
    return names;
  }

  std::string path_ = getenv("PATH");
  const tests::TemporaryFolder own_folder_;
  const fs::path& folder_ = own_folder_.path();
};

using Names = std::vector<std::string>;

TEST_F(RankLibraries, NeedATransportAndALauncher) {
  EXPECT_EQ(found(), Names());
  put("bin/mpirun.mpich");
  EXPECT_EQ(found(), Names());
  put("b/ranks/mpich.so");
  EXPECT_EQ(found(), Names({"mpich"}));
  put("a/ranks/openmpi.so");
  EXPECT_EQ(found(), Names({"mpich"}));
  put("bin/mpirun.openmpi");
  EXPECT_EQ(found(), Names({"openmpi", "mpich"}));
}

TEST_F(RankLibraries, AreTakenFromTheFirstFolder) {
  put("bin/mpirun.mpich");
  put("b/ranks/mpich.so");
  put("a/ranks/mpich.so");
  EXPECT_EQ(find_libraries({folder_ / "a", folder_ / "b"}).front().transport, folder_ / "a/ranks/mpich.so");
}

TEST_F(RankLibraries, StartACommandSoManyTimes) {
  for (const char* name : {"openmpi", "mpich"}) {
    const Names line = Library{name, {}}.launch_command(3, "/scratch", {"program", "word"});
    EXPECT_EQ(line.front(), std::string("mpirun.") + name);
    const Names end(line.end() - 4, line.end());
    EXPECT_EQ(end, Names({"-n", "3", "program", "word"}));
    EXPECT_NE(std::ranges::find(line, "/scratch"), line.end());
  }
}

}  // namespace
}  // namespace gdbench::ranks
