#include "harness/protocol/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

namespace gdbench::protocol {
namespace {

using std::chrono::milliseconds;

// A channel that reads what the test writes, through a pipe of its own.
class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    EXPECT_EQ(pipe2(descriptors_, O_CLOEXEC), 0);
    channel_ = Channel(descriptors_[0], descriptors_[1]);
  }
  ~ChannelTest() override {
    close(descriptors_[0]);
    close_writer();
  }

  void write_text(const std::string& text) const {
    ASSERT_EQ(write(descriptors_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (descriptors_[1] >= 0) close(descriptors_[1]);
    descriptors_[1] = -1;
  }

  Result<nlohmann::json> received_within(int limit_ms) { return channel_.receive(milliseconds(limit_ms), nullptr); }
  std::optional<ErrorKind> error_within(int limit_ms) {
    const Result<nlohmann::json> received = received_within(limit_ms);
    return received.ok() ? std::nullopt : std::optional(received.error().kind);
  }

  Channel channel_;
  int descriptors_[2] = {-1, -1};
};

TEST_F(ChannelTest, SendsOneLineThatItReceivesAgain) {
  ASSERT_TRUE(channel_.send({{"text", "two\nlines"}, {"broken", "caf\xe9"}}).ok());
  const Result<nlohmann::json> received = received_within(1000);
  EXPECT_EQ(received->at("text"), "two\nlines");
}

TEST_F(ChannelTest, PutsLinesTogetherFromPartsAndKeepsThemApart) {
  std::thread writer([this] {
    for (const char* part : {"{\"a\"", ":", " 1", "}\n{}\n"}) {
      write_text(part);
      std::this_thread::sleep_for(milliseconds(30));
    }
  });
  const Result<nlohmann::json> received = channel_.receive(milliseconds(5000), nullptr);
  writer.join();
  EXPECT_EQ(received->at("a"), 1);
  // The line behind it is shorter than what had been searched for its end.
  EXPECT_TRUE(channel_.receive(milliseconds(1000), nullptr).ok());
  write_text("{\"a\": 1}\n{\"a\": 2}\n{\"a\"");
  for (const int expected : {1, 2}) EXPECT_EQ(received_within(1000).value().at("a"), expected);
  write_text(": 3}\n");
  EXPECT_EQ(received_within(1000).value().at("a"), 3);
}

TEST_F(ChannelTest, RefusesALineWithoutEnd) {
  std::thread writer([this] {
    const std::string block(65536, 'x');
    // A little more than the limit, so that the writer does not stay behind in a full pipe.
    for (int i = 0; i < 256; ++i) write_text(block);
    write_text("x");
  });
  const Result<nlohmann::json> received = channel_.receive(milliseconds(20'000), nullptr);
  writer.join();
  EXPECT_EQ(received.error().kind, ErrorKind::failed);
  EXPECT_NE(received.error().message.find("16 MiB"), std::string::npos) << received.error().message;
}

TEST_F(ChannelTest, DeliversTheLastLineBeforeTheEnd) {
  write_text("{\"a\": 1}\n{\"torn\":");
  close_writer();
  EXPECT_EQ(error_within(1000), std::nullopt);
  EXPECT_EQ(error_within(1000), ErrorKind::disconnected);
}

TEST_F(ChannelTest, ReportsAReaderThatIsGone) {
  std::signal(SIGPIPE, SIG_IGN);
  close(descriptors_[0]);
  const Status sent = channel_.send({{"a", 1}});
  descriptors_[0] = open("/dev/null", O_RDONLY);
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().kind, ErrorKind::disconnected);
}

TEST_F(ChannelTest, TimesOutOrEndsWithTheWatchsError) {
  write_text("{\"a\"");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_within(80), ErrorKind::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(80));
  int calls = 0;
  const Result<nlohmann::json> received = channel_.receive(
      milliseconds(0), [&]() -> Status { return ++calls < 3 ? Status{} : Status(failure("seen enough")); });
  EXPECT_EQ(received.error().message, "seen enough");
  EXPECT_EQ(calls, 3);
}

TEST_F(ChannelTest, RefusesWhatIsNoObject) {
  for (const char* line : {"nonsense\n", "[1]\n", "\n", "3\n", "{\"a\": \"\xff\"}\n", "null\n"}) {
    write_text(line);
    EXPECT_EQ(error_within(1000), ErrorKind::failed) << line;
  }
  // The lines after a bad one are whole again.
  write_text("{}\n");
  EXPECT_EQ(error_within(1000), std::nullopt);
}

}  // namespace
}  // namespace gdbench::protocol
