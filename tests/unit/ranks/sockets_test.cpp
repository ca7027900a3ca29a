#include "harness/ranks/sockets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/shared_memory.h"
#include "harness/protocol/channel.h"
#include "harness/ranks/library.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::ranks {
namespace {

using std::chrono::milliseconds;

struct Connection {
  UniqueDescriptor ours;
  UniqueDescriptor theirs;
};

Connection connection() {
  Result<Listener> listener = Listener::open();
  EXPECT_TRUE(listener.ok());
  Result<UniqueDescriptor> theirs = connect_to(listener->name());
  EXPECT_TRUE(theirs.ok());
  Result<UniqueDescriptor> ours = listener->accept(milliseconds(1000));
  EXPECT_TRUE(ours.ok());
  return {std::move(ours).value(), std::move(theirs).value()};
}

TEST(RankSockets, NobodyConnects) {
  Result<Listener> listener = Listener::open();
  const Result<UniqueDescriptor> none = listener->accept(milliseconds(1));
  EXPECT_FALSE(none->is_open());
}

TEST(RankSockets, EachListenerHasANameOfItsOwn) {
  EXPECT_NE(Listener::open()->name(), Listener::open()->name());
  const Result<UniqueDescriptor> nowhere = connect_to("gdbench-ranks-nobody");
  EXPECT_EQ(nowhere.error().message, "cannot connect to the worker: Connection refused");
}

TEST(RankSockets, CarryLinesAndThenDescriptors) {
  const Connection both = connection();
  EXPECT_EQ(peer_of(both.ours), getpid());
  protocol::Channel ours(both.ours.number(), both.ours.number());
  protocol::Channel theirs(both.theirs.number(), both.theirs.number());
  ASSERT_TRUE(ours.send({{"transport", "x"}}).ok());
  ASSERT_TRUE(theirs.receive(milliseconds(1000), nullptr).ok());

  Result<SharedMemory> first = SharedMemory::create("first", 8);
  Result<SharedMemory> second = SharedMemory::create("second", 8);
  second->data()[3] = std::byte{7};
  ASSERT_TRUE(send_descriptors(both.ours, {first->descriptor(), second->descriptor()}).ok());
  Result<std::vector<UniqueDescriptor>> received = receive_descriptors(both.theirs, 2);
  const Result<SharedMemory> same = SharedMemory::adopt((*received)[1].release(), 8, SharedMemory::Access::read_only);
  EXPECT_EQ(same->data()[3], std::byte{7});

  ASSERT_TRUE(theirs.send({{"ok", true}}).ok());
  EXPECT_TRUE(ours.receive(milliseconds(1000), nullptr).ok());
}

TEST(RankSockets, CountWhatTheyReceive) {
  const Connection both = connection();
  ASSERT_TRUE(send_descriptors(both.ours, {both.ours.number()}).ok());
  const Result<std::vector<UniqueDescriptor>> received = receive_descriptors(both.theirs, 3);
  EXPECT_EQ(received.error().message, "received 1 descriptors, expected 3");
}

TEST(RankSockets, TellThatTheOtherEndIsGone) {
  Connection both = connection();
  both.ours.reset();
  EXPECT_FALSE(receive_descriptors(both.theirs, 1).ok());
  protocol::Channel theirs(both.theirs.number(), both.theirs.number());
  const Result<Json> nothing = theirs.receive(milliseconds(1000), nullptr);
  EXPECT_EQ(nothing.error().kind, ErrorKind::disconnected);
}

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
