#include "tests/fakes/emulated_device/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "tests/fakes/emulated_device/device.h"

namespace emulated {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAddresses = std::size_t{1} << 34;  // memory is used as it is allocated
constexpr int kUnwritten = 0xff;                          // not a number in any type
// When so much was freed, addresses begin again at the first.
constexpr std::size_t kMostQuarantined = std::size_t{2} << 20;

// Linux 6.13 has guard pages, without any access under any protection, and that do not divide their mapping: to open
// and to close as many mappings as there are buffers would take most of the time of the tests. On an older system these
// do nothing; writes outside a buffer are found all the same.
void guard(std::byte* pages, std::size_t bytes) {
  constexpr int kInstallGuards = 102;  // newer than the headers may be
  madvise(pages, bytes, kInstallGuards);
}
void unguard(std::byte* pages, std::size_t bytes) {
  constexpr int kRemoveGuards = 103;
  madvise(pages, bytes, kRemoveGuards);
}

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "emulated device: %s\n", what);
  std::abort();
}

bool is_unwritten(const std::byte* from, const std::byte* to) {
  return std::all_of(from, to, [](std::byte byte) { return byte == std::byte{kUnwritten}; });
}

}  // namespace

Memory::Memory() {
  void* mapped = mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) fail("the system has no addresses for its memory");
  addresses_ = static_cast<std::byte*>(mapped);
  next_ = addresses_;
}

// Behind what was allocated last; from the start again where that is the end.
std::byte* Memory::room_for(std::size_t bytes) {
  if (freed_ >= kMostQuarantined) {
    next_ = addresses_;
    freed_ = 0;
  }
  for (int round = 0; round < 2; ++round) {
    for (auto after = buffers_.lower_bound(next_); after != buffers_.end(); ++after) {
      if (static_cast<std::size_t>(after->second.pages - next_) >= bytes) break;
      next_ = after->second.pages + after->second.page_bytes + kPage;
    }
    if (next_ <= addresses_ + (kAddresses - bytes)) return next_;
    next_ = addresses_;
  }
  return nullptr;
}

std::byte* Memory::allocate(std::size_t bytes) {
  if (bytes > kAddresses / 2) return nullptr;
  const std::size_t body = rounded(bytes, kAlignment);
  const std::size_t page_bytes = rounded(body, kPage);
  std::byte* room = room_for(page_bytes + 2 * kPage);
  if (room == nullptr) return nullptr;
  std::byte* pages = room + kPage;
  unguard(pages, page_bytes);
  if (mprotect(pages, page_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memset(pages, kUnwritten, page_bytes);
  mprotect(pages, page_bytes, PROT_NONE);
  guard(room, kPage);
  guard(pages + page_bytes, kPage);
  std::byte* start = pages + (page_bytes - body);
  buffers_[start] = {pages, page_bytes, bytes, start};
  next_ = pages + page_bytes + kPage;
  return start;
}

bool Memory::free(const std::byte* start) {
  const auto found = buffers_.find(start);
  if (found == buffers_.end()) return false;
  const Buffer& buffer = found->second;
  mprotect(buffer.pages, buffer.page_bytes, PROT_READ);
  check(buffer, static_cast<std::size_t>(buffer.start - buffer.pages));
  mprotect(buffer.pages, buffer.page_bytes, PROT_NONE);
  madvise(buffer.pages, buffer.page_bytes, MADV_DONTNEED);
  guard(buffer.pages, buffer.page_bytes);
  freed_ += buffer.page_bytes;
  buffers_.erase(found);
  return true;
}

const Memory::Buffer* Memory::buffer_at(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  const auto after = buffers_.upper_bound(byte);
  if (after == buffers_.begin()) return nullptr;
  const Buffer& buffer = std::prev(after)->second;
  return byte < buffer.start + buffer.bytes ? &buffer : nullptr;
}

bool Memory::has(const void* address, std::size_t bytes) const {
  const Buffer* buffer = buffer_at(address);
  return buffer != nullptr &&
         bytes <= buffer->bytes - static_cast<std::size_t>(static_cast<const std::byte*>(address) - buffer->start);
}

// One system call for all buffers: one for each of them took most of the time of the tests.
void Memory::protect(int protection) const {
  if (buffers_.empty()) return;
  std::byte* first = buffers_.begin()->second.pages;
  const Buffer& last = buffers_.rbegin()->second;
  mprotect(first, static_cast<std::size_t>(last.pages - first) + last.page_bytes, protection);
}

void Memory::open() { protect(PROT_READ | PROT_WRITE); }

void Memory::open(const void* address, std::size_t bytes, bool opened) {
  const auto first = reinterpret_cast<std::uintptr_t>(address) / kPage * kPage;
  const std::size_t whole = reinterpret_cast<std::uintptr_t>(address) - first + bytes;
  mprotect(reinterpret_cast<void*>(first), whole, opened ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void Memory::close() {
  for (const auto& [start, buffer] : buffers_) {
    check(buffer, std::min(kAlignment, static_cast<std::size_t>(start - buffer.pages)));
  }
  protect(PROT_NONE);
}

// That nothing was written behind the buffer, nor in so many bytes before it.
void Memory::check(const Buffer& buffer, std::size_t before) {
  if (!is_unwritten(buffer.start - before, buffer.start)) fail("a kernel has written before a buffer");
  if (!is_unwritten(buffer.start + buffer.bytes, buffer.pages + buffer.page_bytes)) {
    fail("a kernel has written behind a buffer");
  }
}

Memory& memory() {
  static Memory one;
  return one;
}

void finish() {
  if (device().queued.empty()) return;
  memory().open();
  for (auto& work : std::exchange(device().queued, {})) {
    work();
    work = nullptr;  // what a launch leaves behind is the device's time, too
  }
  memory().close();
}

namespace {

std::map<const std::byte*, std::size_t>& page_locked() {
  static std::map<const std::byte*, std::size_t> bytes;
  return bytes;
}

bool is_page_locked(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  const auto after = page_locked().upper_bound(byte);
  return after != page_locked().begin() && byte < std::prev(after)->first + std::prev(after)->second;
}

cudaError_t misused(cudaError_t error) {
  ++gdbench_emulated_control()->misuses;
  return error;
}

// As the runtime has it, pageable memory may be changed or read as soon as the call returns, page-locked memory not
// before the stream has been waited for.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (kind == cudaMemcpyDeviceToDevice) {
    if (!memory().has(from, bytes) || !memory().has(to, bytes)) return misused(cudaErrorInvalidValue);
    return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  }
  const bool there = kind == cudaMemcpyHostToDevice;
  if (!memory().has(there ? to : from, bytes)) return misused(cudaErrorInvalidValue);
  if (is_page_locked(there ? from : to)) return enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (!device().streams.has(stream)) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = refuse_while_capturing(); error != cudaSuccess) return error;
  finish();
  memory().open(there ? to : from, bytes, true);
  std::memcpy(to, from, bytes);
  memory().open(there ? to : from, bytes, false);
  return cudaSuccess;
}

}  // namespace
}  // namespace emulated

using emulated::called, emulated::called_to_give_back, emulated::memory;

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return called("cudaMalloc", [&] {
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    *address = nullptr;
    if (bytes == 0) return cudaSuccess;
    *address = memory().allocate(bytes);
    if (*address == nullptr) return cudaErrorMemoryAllocation;
    ++gdbench_emulated_control()->device_allocations;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* address) {
  return called_to_give_back("cudaFree", [&] {
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    if (address == nullptr) return cudaSuccess;
    emulated::finish();
    if (!memory().free(static_cast<std::byte*>(address))) return emulated::misused(cudaErrorInvalidValue);
    --gdbench_emulated_control()->device_allocations;
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  return called("cudaHostAlloc", [&] {
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    *address = std::aligned_alloc(emulated::kPage, emulated::rounded(bytes, emulated::kPage));
    if (*address == nullptr) return cudaErrorMemoryAllocation;
    std::memset(*address, emulated::kUnwritten, bytes);
    emulated::page_locked()[static_cast<std::byte*>(*address)] = bytes;
    ++gdbench_emulated_control()->host_allocations;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* address) {
  return called_to_give_back("cudaFreeHost", [&] {
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    if (address == nullptr) return cudaSuccess;
    emulated::finish();
    if (emulated::page_locked().erase(static_cast<std::byte*>(address)) == 0) {
      return emulated::misused(cudaErrorInvalidValue);
    }
    std::free(address);
    --gdbench_emulated_control()->host_allocations;
    return cudaSuccess;
  });
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  return called("cudaMemsetAsync", [&] {
    if (bytes > 0 && !memory().has(address, bytes)) return emulated::misused(cudaErrorInvalidValue);
    return emulated::enqueue(stream, [=] { std::memset(address, value, bytes); });
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return called("cudaMemcpyAsync", [&] { return emulated::copy(to, from, bytes, kind, stream); });
}
