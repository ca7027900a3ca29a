// Anonymous memory that child processes inherit by file descriptor (memfd), so that arrays reach a worker without being
// copied. The mapping is page-aligned, hence aligned to GDBENCH_ALIGNMENT.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/base/result.h"
#include "harness/base/unique_descriptor.h"

namespace gdbench {

// What the kernel says can be had without swapping, in bytes; the largest number where that cannot be read.
std::uint64_t available_memory_bytes();

// Of the whole machine, in bytes.
std::uint64_t physical_memory_bytes();

// Where memory comes from, and what is said while it is waited for.
struct MemorySource {
  std::function<std::uint64_t()> available_bytes = available_memory_bytes;
  std::uint64_t physical_bytes = physical_memory_bytes();
  std::chrono::milliseconds patience{10'000};
  std::function<void(const std::string&)> say;  // one line; by default to stderr
};

// What is available as soon as that is `bytes`, or at the end of the source's patience: a neighbour may take much for a
// moment. What the machine never has is not waited for.
std::uint64_t wait_for_memory(std::uint64_t bytes, const MemorySource& source = {});

class SharedMemory {
 public:
  // Zero-filled memory of `bytes` bytes, whose size no process can change. `name` appears in /proc only. Errors: there
  // is not so much, even after a wait.
  static Result<SharedMemory> create(const std::string& name, std::size_t bytes, const MemorySource& source = {});

  // Maps memory that another process made; takes over the descriptor.
  enum class Access { read_only, read_write };
  static Result<SharedMemory> adopt(int descriptor, std::size_t bytes, Access access);

  // From here on only mappings that are there already, such as this one, can write to it. Errors: the kernel cannot
  // (Linux before 5.1).
  Status seal() const;

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return data_.get_deleter().size; }
  int descriptor() const { return descriptor_.number(); }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Unmap> data_;
  UniqueDescriptor descriptor_;
};

// The next multiple of the ABI's array alignment, in bytes.
constexpr std::size_t aligned_size(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace gdbench
