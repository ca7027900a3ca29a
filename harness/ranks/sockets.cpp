#include "harness/ranks/sockets.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "harness/base/text.h"

namespace gdbench::ranks {

namespace {

constexpr std::size_t kMostDescriptors = 4;

Error system_failure(const char* what) { return failure(cat(what, ": ", std::strerror(errno))); }

struct Address {
  sockaddr_un value{};
  socklen_t length = 0;
};

// In Linux's abstract namespace (unix(7)): there is no file that a kill could leave behind.
Address address_of(const std::string& name) {
  Address address;
  address.value.sun_family = AF_UNIX;
  const std::size_t count = std::min(name.size(), sizeof address.value.sun_path - 1);
  std::copy_n(name.data(), count, address.value.sun_path + 1);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  return address;
}

Result<std::string> new_name() {
  std::array<unsigned char, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return system_failure("cannot name a socket");
  }
  std::string name = "gdbench-ranks-";
  for (const unsigned char byte : random) name += formatted("%02x", byte);
  return name;
}

ucred credentials_of(const UniqueDescriptor& connection) {
  ucred credentials{.pid = -1, .uid = static_cast<uid_t>(-1), .gid = static_cast<gid_t>(-1)};
  socklen_t size = sizeof credentials;
  getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &credentials, &size);
  return credentials;
}

// What a message with descriptors consists of in addition to them: one byte, as there is no message without any.
struct DescriptorMessage {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr header{};

  explicit DescriptorMessage(std::size_t count) {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
  }
};

}  // namespace

Result<Listener> Listener::open() {
  Listener listener;
  listener.name_ = TRY(new_name());
  listener.socket_ = UniqueDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Address address = address_of(listener.name_);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address.value);
  if (!listener.socket_.is_open() || bind(listener.socket_.number(), any, address.length) != 0 ||
      listen(listener.socket_.number(), SOMAXCONN) != 0) {
    return system_failure("cannot listen for ranks");
  }
  return listener;
}

Result<UniqueDescriptor> Listener::accept(std::chrono::milliseconds timeout) {
  pollfd entry{socket_.number(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(timeout.count())) <= 0) return UniqueDescriptor();
  UniqueDescriptor connection(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.is_open()) return system_failure("cannot accept a rank");
  if (credentials_of(connection).uid != geteuid()) return UniqueDescriptor();
  return connection;
}

Result<UniqueDescriptor> connect_to(const std::string& name) {
  UniqueDescriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Address address = address_of(name);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address.value);
  if (!connection.is_open() || connect(connection.number(), any, address.length) != 0) {
    return system_failure("cannot connect to the worker");
  }
  return connection;
}

Result<std::pair<UniqueDescriptor, UniqueDescriptor>> connected_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_failure("cannot connect a rank");
  return std::pair(UniqueDescriptor(ends[0]), UniqueDescriptor(ends[1]));
}

Result<std::vector<std::string>> free_addresses(std::size_t count) {
  std::vector<UniqueDescriptor> bound;  // all at once, so that they differ
  std::vector<std::string> addresses;
  while (addresses.size() < count) {
    UniqueDescriptor& own = bound.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (!own.is_open() || bind(own.number(), any, length) != 0 || getsockname(own.number(), any, &length) != 0) {
      return system_failure("cannot find a free port for ranks");
    }
    addresses.push_back(cat("127.0.0.1:", ntohs(address.sin_port)));
  }
  return addresses;
}

pid_t peer_of(const UniqueDescriptor& connection) { return credentials_of(connection).pid; }

Status send_descriptors(const UniqueDescriptor& connection, const std::vector<int>& descriptors) {
  DescriptorMessage message(descriptors.size());
  cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  std::memcpy(CMSG_DATA(control), descriptors.data(), descriptors.size() * sizeof(int));
  if (sendmsg(connection.number(), &message.header, MSG_NOSIGNAL) == 1) return {};
  return system_failure("cannot send descriptors");
}

Result<std::vector<UniqueDescriptor>> receive_descriptors(const UniqueDescriptor& connection, std::size_t count) {
  DescriptorMessage message(count);
  if (recvmsg(connection.number(), &message.header, MSG_CMSG_CLOEXEC) != 1) {
    return system_failure("cannot receive descriptors");
  }
  std::vector<UniqueDescriptor> received;
  const cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  if (control != nullptr && control->cmsg_type == SCM_RIGHTS) {
    std::vector<int> numbers((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(control), numbers.size() * sizeof(int));
    for (const int number : numbers) received.emplace_back(number);
  }
  if (received.size() != count) return failure(cat("received ", received.size(), " descriptors, expected ", count));
  return received;
}

}  // namespace gdbench::ranks
