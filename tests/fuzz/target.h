// What is fed with inputs: of libFuzzer's in a program for each (preset fuzz), of the corpora and their neighbours in a
// test of all (replay_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gdbench::fuzz {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> known;
  return known;
}

}  // namespace gdbench::fuzz

// GDBENCH_FUZZ_TARGET(name) { ... return 0; }, of `data` and `size`.
#ifdef GDBENCH_FUZZ
#define GDBENCH_FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define GDBENCH_FUZZ_TARGET(name)                                                                  \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);                              \
  static const bool name##_is_known = gdbench::fuzz::targets().emplace(#name, fuzz_##name).second; \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size)
#endif
