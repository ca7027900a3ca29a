// What happens where a disk becomes full.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <functional>

namespace gdbench::tests {

// Writes with files of at most so many bytes, as if the disk had no more.
inline void with_largest_file(std::uint64_t bytes, const std::function<void()>& write) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{bytes, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  write();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
}

}  // namespace gdbench::tests
