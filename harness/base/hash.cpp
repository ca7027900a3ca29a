#include "harness/base/hash.h"

namespace gdbench {

void Hash64::add(const void* bytes, std::size_t count) {
  const auto* begin = static_cast<const unsigned char*>(bytes);
  std::uint64_t value = value_;
  for (const unsigned char* byte = begin; byte != begin + count; ++byte) {
    value = (value ^ *byte) * 0x100000001b3U;
  }
  value_ = value;
}

std::string hexadecimal(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4U) text[i] = kDigits[value & 15U];
  return text;
}

}  // namespace gdbench
