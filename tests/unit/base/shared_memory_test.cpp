#include "harness/base/shared_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

namespace gdbench {
namespace {

TEST(SharedMemory, IsZeroedAlignedAndSharedByDescriptor) {
  Result<SharedMemory> made = SharedMemory::create("test", 100);
  ASSERT_TRUE(made.ok()) << made.error().message;
  SharedMemory& memory = made.value();
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(memory.data()[i], std::byte{0});

  const Result<SharedMemory> second =
      SharedMemory::adopt(dup(memory.descriptor()), 100, SharedMemory::Access::read_only);
  ASSERT_TRUE(second.ok()) << second.error().message;
  memory.data()[99] = std::byte{7};
  EXPECT_EQ(second->data()[99], std::byte{7});
}

TEST(SharedMemory, SealedCanBeWrittenByItsOwnerAlone) {
  Result<SharedMemory> made = SharedMemory::create("test", 100);
  ASSERT_TRUE(made.ok());
  EXPECT_NE(ftruncate(made->descriptor(), 10), 0) << "its size is fixed from the beginning";
  const auto writable = [&] {
    return SharedMemory::adopt(dup(made->descriptor()), 100, SharedMemory::Access::read_write).ok();
  };
  EXPECT_TRUE(writable());
  if (!made->seal().ok()) GTEST_SKIP() << "the kernel cannot seal memory like this (Linux 5.1 can)";
  EXPECT_FALSE(writable());
  EXPECT_NE(pwrite(made->descriptor(), "x", 1, 0), 1);
  EXPECT_TRUE(SharedMemory::adopt(dup(made->descriptor()), 100, SharedMemory::Access::read_only).ok());
  made->data()[0] = std::byte{1};
}

// Of a machine whose neighbour gives its memory back after so many readings.
MemorySource source_after(int readings, std::chrono::milliseconds patience, std::vector<std::string>& said) {
  return {.available_bytes = [readings]() mutable { return std::uint64_t{readings-- > 0 ? 0U : 1000U}; },
          .physical_bytes = 1000,
          .patience = patience,
          .say = [&said](const std::string& line) { said.push_back(line); }};
}

TEST(SharedMemory, WaitsWhereMemoryIsShortForAMoment) {
  std::vector<std::string> said;
  const MemorySource moment = source_after(3, std::chrono::seconds(10), said);
  EXPECT_TRUE(SharedMemory::create("test", 1000, moment).ok());
  ASSERT_EQ(said.size(), 1U) << "once, however often it asks";
  EXPECT_EQ(said[0], "waiting up to 10 s for 1000 bytes of memory: the machine has 0 available");
  EXPECT_TRUE(SharedMemory::create("test", 1000, source_after(0, std::chrono::seconds(10), said)).ok());
  EXPECT_EQ(said.size(), 1U) << "nothing to wait for";
}

TEST(SharedMemory, RefusesWhatIsNotThereAfterTheWait) {
  std::vector<std::string> said;
  const Result<SharedMemory> made =
      SharedMemory::create("test", 1000, source_after(1'000'000, std::chrono::milliseconds(150), said));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "cannot reserve 1000 bytes of shared memory: the machine has 0 available");
  EXPECT_EQ(said.size(), 1U);
  EXPECT_FALSE(SharedMemory::create("test", 1001, source_after(0, std::chrono::hours(1), said)).ok());
  EXPECT_EQ(said.size(), 1U) << "what the machine never has is not waited for";
}

TEST(AlignedSize, RoundsUp) {
  EXPECT_EQ(aligned_size(0), 0U);
  EXPECT_EQ(aligned_size(1), 64U);
  EXPECT_EQ(aligned_size(64), 64U);
  EXPECT_EQ(aligned_size(65), 128U);
}

}  // namespace
}  // namespace gdbench
