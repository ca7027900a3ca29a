#include "harness/protocol/channel.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"

namespace gdbench::protocol {

namespace {

constexpr int kWatchMilliseconds = 20;
// No message of the protocol comes near this; a worker that writes on without a newline must not fill our memory.
constexpr std::size_t kLongestLine = 16u << 20;

// Why a line is no JSON: at which key it ends to be, such as where a number is NaN.
Error refusal_of(const std::string& line) {
  std::string key;
  const auto note_key = [&key](int /*depth*/, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::key) key = parsed.get<std::string>();
    return true;
  };
  try {
    [[maybe_unused]] const Json message = Json::parse(line, note_key);
  } catch (const Json::parse_error& error) {
    constexpr const char* kDelimiters = " :,[]{}";
    const std::size_t start = line.find_last_of(kDelimiters, error.byte - 1) + 1;
    const std::string found = line.substr(start, line.find_first_of(kDelimiters, start) - start);
    if (!key.empty())
      return failure(cat(in_quotes(key), ": found ", in_quotes(found), ", expected JSON, such as a finite number"));
  } catch (const Json::exception&) {
    return failure(cat(in_quotes(key), ": found a number that no double holds, expected a finite one"));
  }
  return failure("not a JSON object: " + one_line(line.substr(0, 80)));
}

}  // namespace

Channel::Channel(int read_descriptor, int write_descriptor) : read_(read_descriptor), write_(write_descriptor) {}

Status Channel::send(const OrderedJson& message) {
  const std::string line = compact(message) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(write_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error{ErrorKind::disconnected, std::string("cannot write to the worker: ") + std::strerror(errno)};
    written += static_cast<std::size_t>(count);
  }
  return {};
}

Status Channel::fill(std::chrono::steady_clock::time_point deadline, bool bounded, const Watch& watch) {
  for (;;) {
    int wait = kWatchMilliseconds;
    if (bounded) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return Error{ErrorKind::timed_out, "no answer in time"};
      wait = static_cast<int>(std::min<long long>(wait, left.count()));
    }
    pollfd entry{read_, POLLIN, 0};
    const int ready = poll(&entry, 1, watch || bounded ? wait : -1);
    if (ready < 0 && errno != EINTR) return failure(std::string("poll: ") + std::strerror(errno));
    if (ready > 0) break;
    if (watch) {
      TRY(watch());
    }
  }
  std::array<char, 65536> chunk;
  const ssize_t count = read(read_, chunk.data(), chunk.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (count <= 0) return Error{ErrorKind::disconnected, "the connection was closed"};
  pending_.append(chunk.data(), static_cast<std::size_t>(count));
  if (pending_.size() > kLongestLine) return failure("an answer is longer than 16 MiB");
  return {};
}

Result<Json> Channel::receive(std::chrono::milliseconds timeout, const Watch& watch) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::size_t newline;
  while ((newline = pending_.find('\n', searched_)) == std::string::npos) {
    searched_ = pending_.size();
    TRY(fill(deadline, timeout.count() > 0, watch));
  }
  const std::string line = pending_.substr(0, newline);
  pending_.erase(0, newline + 1);
  searched_ = 0;
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) return refusal_of(line);
  return message;
}

}  // namespace gdbench::protocol
