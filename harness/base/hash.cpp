#include "harness/base/hash.h"

#include <cinttypes>

#include "harness/base/text.h"

namespace gdbench {

void Hash64::add(const void* bytes, std::size_t count) {
  const auto* begin = static_cast<const unsigned char*>(bytes);
  std::uint64_t value = value_;
  for (const unsigned char* byte = begin; byte != begin + count; ++byte) {
    value = (value ^ *byte) * 0x100000001b3U;
  }
  value_ = value;
}

std::string hexadecimal(std::uint64_t value) { return formatted("%016" PRIx64, value); }

}  // namespace gdbench
