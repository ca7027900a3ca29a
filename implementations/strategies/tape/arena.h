// An array that grows and is reset, but never shrinks. An entry is written field by field where it lies: a temporary
// that is copied in makes the processor wait for its own stores.
#pragma once

#include <cstddef>
#include <vector>

namespace gdbench::strategies::tape {

template <class T>
class Arena {
 public:
  // An entry that holds anything.
  T& add() {
    if (size_ == items_.size()) [[unlikely]]
      items_.resize(2 * size_ + 16);
    return items_[size_++];
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }

 private:
  std::vector<T> items_;
  std::size_t size_ = 0;
};

}  // namespace gdbench::strategies::tape
