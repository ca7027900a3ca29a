#include "harness/ranks/membership.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/ranks/sockets.h"

namespace gdbench::ranks {

namespace {

// Also while the calling thread waits for other ranks, which it does without end where one of them is gone.
void end_with(int connection) {
  std::thread([connection] {
    pollfd entry{connection, POLLRDHUP, 0};
    while (poll(&entry, 1, -1) <= 0) {
    }
    _exit(1);
  }).detach();
}

}  // namespace

template <class Call>
gdbench_status Membership::exchange(const Call& call) {
  const std::int64_t started_ns = monotonic_ns();
  progress_->entered.fetch_add(1, std::memory_order_relaxed);
  const int status = call(*transport_);
  exchange_ns_ += static_cast<double>(monotonic_ns() - started_ns);
  return status == 0 ? GDBENCH_OK : GDBENCH_FAILED;
}

Status Membership::join(const std::string& socket_name) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  connection_ = TRY(connect_to(socket_name));
  end_with(connection_.number());
  channel_ = protocol::Channel(connection_.number(), connection_.number());
  const Json introduction = TRY(channel_.receive(std::chrono::milliseconds(0), nullptr));
  TRY(open_transport(introduction.value("transport", "")));
  if (transport_->join(&interface_.rank, &interface_.count) != 0) {
    return failure(cat("cannot join the other ranks: ", transport_->last_error()));
  }
  TRY(channel_.send(
      {{"ok", true}, {"rank", interface_.rank}, {"count", interface_.count}, {"version", transport_->version()}}));
  TRY(adopt_descriptors());

  interface_.struct_size = sizeof interface_;
  interface_.context = this;
  interface_.all_reduce = [](void* context, void* values, std::int64_t count, std::int32_t dtype) {
    return static_cast<Membership*>(context)->exchange(
        [&](const Transport& by) { return by.all_reduce(values, count, dtype); });
  };
  interface_.begin_all_reduce = [](void* context, void* values, std::int64_t count, std::int32_t dtype) {
    return static_cast<Membership*>(context)->exchange(
        [&](const Transport& by) { return by.begin_all_reduce(values, count, dtype); });
  };
  interface_.finish_all_reduces = [](void* context) {
    return static_cast<Membership*>(context)->exchange([](const Transport& by) { return by.finish_all_reduces(); });
  };
  return {};
}

Status Membership::open_transport(const std::string& file) {
  // Globally: parts of Open MPI are opened later and look its symbols up there.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return failure(cat("cannot open the transport of ranks: ", dlerror()));
  void* const symbol = dlsym(library, kTransportName);
  if (symbol == nullptr) return failure(cat(file, " exports no ", kTransportName));
  transport_ = reinterpret_cast<TransportFunction>(symbol)();
  return {};
}

Status Membership::adopt_descriptors() {
  std::vector<UniqueDescriptor> received = TRY(receive_descriptors(connection_, 3));
  data_ = std::move(received[0]);
  state_ = std::move(received[1]);
  progress_memory_ =
      TRY(SharedMemory::adopt(received[2].release(), static_cast<std::size_t>(interface_.count) * sizeof(Progress),
                              SharedMemory::Access::read_write));
  progress_ = reinterpret_cast<Progress*>(progress_memory_.data()) + interface_.rank;
  return {};
}

Status Membership::barrier() {
  if (transport_->barrier() == 0) return {};
  return failure(cat("ranks cannot wait for each other: ", transport_->last_error()));
}

Status Membership::leave() {
  if (transport_->leave() == 0) return {};
  return failure(cat("cannot leave the other ranks: ", transport_->last_error()));
}

}  // namespace gdbench::ranks
