#include "harness/base/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "harness/base/system_error.h"

namespace gdbench {

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {  // "MemAvailable:  1234 kB"
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t wait_for_memory(std::uint64_t bytes, const MemorySource& source) {
  constexpr std::chrono::milliseconds kPoll{100};
  std::uint64_t available = source.available_bytes();
  if (available >= bytes || bytes > source.physical_bytes) return available;
  const std::string words = "waiting up to " + std::to_string(source.patience.count() / 1000) + " s for " +
                            std::to_string(bytes) + " bytes of memory: the machine has " + std::to_string(available) +
                            " available";
  if (source.say) {
    source.say(words);
  } else {
    std::fprintf(stderr, "gdbench: %s\n", words.c_str());
  }
  const auto end = std::chrono::steady_clock::now() + source.patience;
  while (available < bytes && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPoll);
    available = source.available_bytes();
  }
  return available;
}

void SharedMemory::Unmap::operator()(std::byte* data) const { munmap(data, size); }

Result<SharedMemory> SharedMemory::create(const std::string& name, std::size_t bytes, const MemorySource& source) {
  // After reserving more than there is, the out-of-memory killer would end the largest process.
  if (const std::uint64_t available = wait_for_memory(bytes, source); bytes > available) {
    return failure("cannot reserve " + std::to_string(bytes) + " bytes of shared memory: the machine has " +
                   std::to_string(available) + " available");
  }
  // Close-on-exec: a worker gets only the descriptors that it was meant to inherit.
  UniqueDescriptor descriptor(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor.is_open()) return system_error("cannot create shared memory");
  // posix_fallocate, so that a limit on memory shows here and not as a signal at the first write. What a signal of the
  // user's interrupts is begun again: whether the run ends is not decided here.
  int reserved = EINTR;
  while (reserved == EINTR) {
    reserved = posix_fallocate(descriptor.number(), 0, static_cast<off_t>(bytes == 0 ? 1 : bytes));
  }
  if (reserved != 0) {
    return failure("cannot reserve " + std::to_string(bytes) + " bytes of shared memory: " + std::strerror(reserved));
  }
  // A worker that makes it smaller would end every process that reads it by a signal.
  if (fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return system_error("cannot seal shared memory");
  }
  return adopt(descriptor.release(), bytes, Access::read_write);
}

Status SharedMemory::seal() const {
  constexpr int kSealFutureWrite = 0x10;  // F_SEAL_FUTURE_WRITE, which older headers lack
  if (fcntl(descriptor_.number(), F_ADD_SEALS, kSealFutureWrite | F_SEAL_SEAL) == 0) return {};
  return system_error("cannot seal shared memory");
}

Result<SharedMemory> SharedMemory::adopt(int descriptor, std::size_t bytes, Access access) {
  SharedMemory memory;
  memory.descriptor_ = UniqueDescriptor(descriptor);
  const std::size_t size = bytes == 0 ? 1 : bytes;
  const int protection = access == Access::read_write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* address = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) {
    return system_error("cannot map " + std::to_string(bytes) + " bytes of shared memory");
  }
  memory.data_ = {static_cast<std::byte*>(address), Unmap{size}};
  return memory;
}

}  // namespace gdbench
