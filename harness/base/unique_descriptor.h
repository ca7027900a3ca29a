// The owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace gdbench {

class UniqueDescriptor {
 public:
  UniqueDescriptor() = default;
  // Takes over what open, pipe2, memfd_create ... returned; a negative number is none.
  explicit UniqueDescriptor(int number) : number_(number) {}
  ~UniqueDescriptor() { reset(); }
  UniqueDescriptor(UniqueDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  UniqueDescriptor& operator=(UniqueDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  UniqueDescriptor(const UniqueDescriptor&) = delete;
  UniqueDescriptor& operator=(const UniqueDescriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // The caller closes it.
  int release() { return std::exchange(number_, -1); }
  void reset() {
    if (is_open()) close(release());
  }

 private:
  int number_ = -1;
};

}  // namespace gdbench
