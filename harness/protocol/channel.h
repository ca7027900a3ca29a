// One end of the coordinator-worker connection: JSON objects, one per line, over a pair of pipes.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace gdbench::protocol {

// Both ends own their descriptors' use but not the descriptors themselves.
class Channel {
 public:
  Channel() = default;
  Channel(int read_descriptor, int write_descriptor);

  // Writes one line. Errors: the other side is gone.
  Status send(const OrderedJson& message);

  // Called about every 20 ms while waiting; an error it returns ends the wait.
  using Watch = std::function<Status()>;

  // Reads one line and parses it as an object. Errors: crashed (end of file), timed_out, failed (not a JSON object), or
  // what `watch` returned. A zero timeout waits for ever.
  Result<Json> receive(std::chrono::milliseconds timeout, const Watch& watch);

 private:
  Status fill(std::chrono::steady_clock::time_point deadline, bool bounded, const Watch& watch);

  int read_ = -1;
  int write_ = -1;
  std::string pending_;       // bytes read beyond the last line
  std::size_t searched_ = 0;  // of pending_, without a newline
};

}  // namespace gdbench::protocol
