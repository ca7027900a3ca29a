#include "harness/ranks/sockets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "harness/base/shared_memory.h"
#include "harness/protocol/channel.h"

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
  ASSERT_TRUE(listener.ok());
  const Result<UniqueDescriptor> none = listener->accept(milliseconds(1));
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->is_open());
}

TEST(RankSockets, EachListenerHasANameOfItsOwn) {
  EXPECT_NE(Listener::open()->name(), Listener::open()->name());
  const Result<UniqueDescriptor> connection = connect_to("gdbench-ranks-no-listener");
  ASSERT_FALSE(connection.ok());
  EXPECT_EQ(connection.error().message, "cannot connect to the worker: Connection refused");
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
  ASSERT_TRUE(received.ok());
  const Result<SharedMemory> same = SharedMemory::adopt((*received)[1].release(), 8, SharedMemory::Access::read_only);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->data()[3], std::byte{7});

  ASSERT_TRUE(theirs.send({{"ok", true}}).ok());
  EXPECT_TRUE(ours.receive(milliseconds(1000), nullptr).ok());
}

TEST(RankSockets, CountWhatTheyReceive) {
  const Connection both = connection();
  ASSERT_TRUE(send_descriptors(both.ours, {both.ours.number()}).ok());
  const Result<std::vector<UniqueDescriptor>> received = receive_descriptors(both.theirs, 3);
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().message, "received 1 descriptors, expected 3");
}

TEST(RankSockets, TellThatTheOtherEndIsGone) {
  Connection both = connection();
  both.ours.reset();
  EXPECT_FALSE(receive_descriptors(both.theirs, 1).ok());
  protocol::Channel theirs(both.theirs.number(), both.theirs.number());
  const Result<Json> nothing = theirs.receive(milliseconds(1000), nullptr);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().kind, ErrorKind::disconnected);
}

}  // namespace
}  // namespace gdbench::ranks
