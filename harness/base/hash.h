// FNV-1a with 64 bits, after Fowler, Noll and Vo (RFC 9923): the same on every machine. Not cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gdbench {

class Hash64 {
 public:
  // Appends bytes. Hashing two pieces in turn gives the same as hashing their concatenation.
  void add(const void* bytes, std::size_t count);
  void add(std::string_view text) { add(text.data(), text.size()); }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

// 16 lower-case hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

}  // namespace gdbench
