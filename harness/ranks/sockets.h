// The connection between a worker and the ranks that it has started: a socket of this machine without a file, which
// carries JSON objects (harness/protocol/channel.h) and, once, descriptors.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"

namespace gdbench::ranks {

// Where ranks find their worker. Connections by other users are refused.
class Listener {
 public:
  static Result<Listener> open();

  const std::string& name() const { return name_; }
  // The next connection; nothing open where none comes in time.
  Result<UniqueDescriptor> accept(std::chrono::milliseconds timeout);

 private:
  std::string name_;
  UniqueDescriptor socket_;
};

Result<UniqueDescriptor> connect_to(const std::string& name);

// Both ends of a connection.
Result<std::pair<UniqueDescriptor, UniqueDescriptor>> connected_pair();

// Addresses of this machine (127.0.0.1:PORT), all different, on which no process listens now.
Result<std::vector<std::string>> free_addresses(std::size_t count);

// The process at the other end of a connection.
pid_t peer_of(const UniqueDescriptor& connection);

Status send_descriptors(const UniqueDescriptor& connection, const std::vector<int>& descriptors);
// As many as were sent.
Result<std::vector<UniqueDescriptor>> receive_descriptors(const UniqueDescriptor& connection, std::size_t count);

}  // namespace gdbench::ranks
