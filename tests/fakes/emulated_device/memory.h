// The emulated device's memory. Each buffer ends where its last page does, except what its address's alignment leaves
// (kAlignment), and there is a page without access before and behind it, even for a kernel. What was freed is
// not either, and its addresses come up again after those of all other memory. No byte has a value before it is
// written: what is read before, or up to kAlignment bytes behind a buffer, is not a number.
#pragma once

#include <cstddef>
#include <map>

namespace emulated {

class Memory {
 public:
  static constexpr std::size_t kAlignment = 256;  // as cudaMalloc's

  Memory();
  // Null where there is no room.
  std::byte* allocate(std::size_t bytes);
  // False where nothing starts there.
  bool free(const std::byte* start);
  // Whether all of these bytes belong to one buffer.
  bool has(const void* address, std::size_t bytes) const;

  // Allows accesses to all buffers, and forbids them; the latter ends the process where something was written outside a
  // buffer.
  void open();
  void close();
  // The same of the pages of some bytes of a buffer, without looking at what is around it.
  void open(const void* address, std::size_t bytes, bool opened);

 private:
  struct Buffer {
    std::byte* pages;  // in whole pages
    std::size_t page_bytes;
    std::size_t bytes;
    std::byte* start;
  };
  const Buffer* buffer_at(const void* address) const;
  void protect(int protection) const;
  static void check(const Buffer& buffer, std::size_t before);
  std::byte* room_for(std::size_t bytes);

  std::byte* addresses_;
  std::byte* next_;
  std::size_t freed_ = 0;                       // bytes since addresses began again
  std::map<const std::byte*, Buffer> buffers_;  // by their start
};
Memory& memory();

}  // namespace emulated
