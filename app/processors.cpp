#include "app/processors.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace gdbench::app {

namespace {

// Whether a processor is ours now. A name in the abstract namespace of sockets has one owner and goes with its process,
// however that ends; no file is left over (unix(7)).
bool reserve(int processor) {
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = "gdbench measures on processor " + std::to_string(processor);
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;  // open until the end
  close(descriptor);
  return false;
}

}  // namespace

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &set)) processors.push_back(processor);
  }
  return processors;
}

std::vector<int> measuring_processors() {
  static const std::vector<int> chosen = [] {
    std::vector<int> processors = allowed_processors();
    const auto free = std::find_if(processors.rbegin(), processors.rend(), reserve);
    if (free != processors.rend()) std::rotate(free.base() - 1, free.base(), processors.end());
    return processors;
  }();
  return chosen;
}

void keep_off_compute_processor() {
  const std::vector<int> processors = measuring_processors();
  if (processors.size() < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t i = 0; i + 1 < processors.size(); ++i) CPU_SET(processors[i], &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace gdbench::app
