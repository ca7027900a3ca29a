// A rank as it sees itself: joined to the others by a transport, connected by a socket to the worker for all of them.
#pragma once

#include <cstdint>

#include "gdbench/plugin.h"
#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/base/unique_descriptor.h"
#include "harness/protocol/channel.h"
#include "harness/ranks/progress.h"
#include "harness/ranks/transport.h"

namespace gdbench::ranks {

// One per process.
class Membership {
 public:
  Membership() = default;
  Membership(const Membership&) = delete;  // its address is known to the plugin
  Membership& operator=(const Membership&) = delete;

  // Connects to the worker, joins the others, and gets the descriptors of data and state. From here on this process
  // ends at once with its worker, and with its launcher.
  Status join(const std::string& socket_name);

  // What plugins are given.
  const gdbench_ranks& interface() const { return interface_; }
  protocol::Channel& channel() { return channel_; }
  int data() const { return data_.number(); }
  int state() const { return state_.number(); }
  // Waits for all ranks.
  Status barrier();
  // To be called by all, when there is nothing more to do.
  Status leave();

  // How long this rank has been in all-reduces so far, with waits for others: a waiting rank keeps its processor busy.
  double exchange_ns() const { return exchange_ns_; }

 private:
  Status open_transport(const std::string& file);
  Status adopt_descriptors();
  template <class Call>
  gdbench_status exchange(const Call& call);

  UniqueDescriptor connection_;
  protocol::Channel channel_;
  UniqueDescriptor data_;
  UniqueDescriptor state_;
  const Transport* transport_ = nullptr;
  SharedMemory progress_memory_;
  Progress* progress_ = nullptr;
  gdbench_ranks interface_{};
  double exchange_ns_ = 0;
};

}  // namespace gdbench::ranks
