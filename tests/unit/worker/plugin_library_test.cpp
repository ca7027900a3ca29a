#include "harness/worker/plugin_library.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/protocol/plugins.h"

namespace gdbench::worker {
namespace {

TEST(PluginLibrary, ExposesTheTable) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("delay").string());
  ASSERT_TRUE(library.ok()) << library.error().message;
  const protocol::HelloAnswer hello = library.value()->describe();
  EXPECT_EQ(hello.protocol.major, protocol::kProtocolMajor);
  EXPECT_EQ(hello.plugin.name, "fake");
  ASSERT_EQ(hello.implementations.size(), 1U);
  EXPECT_NE(library.value()->find("fake/delay"), nullptr);
  EXPECT_EQ(library.value()->find("fake/other"), nullptr);
}

TEST(PluginLibrary, TakesWhatAnOlderPluginDoesNotHaveAsNull) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("older").string());
  ASSERT_TRUE(library.ok()) << library.error().message;
  const gdbench_implementation* implementation = library.value()->find("fake/older");
  ASSERT_NE(implementation, nullptr);
  EXPECT_NE(implementation->run, nullptr);
  EXPECT_EQ(implementation->evaluate, nullptr);
  EXPECT_EQ(implementation->profile, nullptr);
}

TEST(PluginLibrary, RefusesWhatIsNoPlugin) {
  const auto no_entry = PluginLibrary::open(protocol::fake_plugin("no_entry").string());
  ASSERT_FALSE(no_entry.ok());
  EXPECT_NE(no_entry.error().message.find(GDBENCH_PLUGIN_ENTRY_NAME), std::string::npos);
  const auto abi = PluginLibrary::open(protocol::fake_plugin("abi").string());
  ASSERT_FALSE(abi.ok());
  EXPECT_EQ(abi.error().kind, ErrorKind::unsupported);
  EXPECT_FALSE(PluginLibrary::open("/nowhere/plugin.so").ok());
  EXPECT_FALSE(PluginLibrary::open(GDBENCH_SOURCE_DIR "/CMakeLists.txt").ok());
}

TEST(PluginLibrary, HandsOutAnErrorOnce) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("prepare_fails").string());
  ASSERT_TRUE(library.ok());
  const gdbench_implementation* implementation = library.value()->find("fake/prepare-fails");
  ASSERT_NE(implementation, nullptr);
  EXPECT_EQ(implementation->prepare(nullptr, nullptr, nullptr), GDBENCH_FAILED);
  EXPECT_EQ(library.value()->take_error("fallback"), "the accelerator is on fire");
  EXPECT_EQ(library.value()->take_error("fallback"), "fallback");
}

}  // namespace
}  // namespace gdbench::worker
