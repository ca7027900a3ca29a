#include "implementations/strategies/tape/caches.h"

namespace gdbench::strategies::tape {

backends::Buffer BufferPool::allocate(std::uint32_t size_class) {
  const std::size_t bytes = bytes_of(size_class);
  const backends::Buffer buffer = session_.allocate(bytes);
  free_[size_class].reserve(++made_[size_class]);
  ++allocations_;
  allocated_bytes_ += bytes;
  return buffer;
}

const CachedCall& CallCache::insert(const CachedCall& call) {
  calls_.push_back(call);
  if (2 * calls_.size() > places_.size()) {
    places_.assign(2 * places_.size(), nullptr);
    for (const CachedCall& each : calls_) place(each);
  } else {
    place(calls_.back());
  }
  return calls_.back();
}

void CallCache::place(const CachedCall& call) {
  const std::size_t mask = places_.size() - 1;
  std::size_t i = call.key.hash() & mask;
  while (places_[i] != nullptr) i = (i + 1) & mask;
  places_[i] = &call;
}

}  // namespace gdbench::strategies::tape
