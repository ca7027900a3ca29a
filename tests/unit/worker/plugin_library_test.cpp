#include "harness/worker/plugin_library.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/protocol/plugins.h"

namespace gdbench::worker {
namespace {

TEST(PluginLibrary, TakesWhatAnOlderPluginDoesNotHaveAsNull) {
  const auto library = PluginLibrary::open(protocol::fake_plugin("older").string());
  ASSERT_TRUE(library.ok()) << library.error().message;
  const gdbench_implementation* implementation = library.value()->find("fake/older");
  ASSERT_NE(implementation, nullptr);
  EXPECT_EQ(library.value()->find("fake/other"), nullptr);
  EXPECT_NE(implementation->run, nullptr);
  EXPECT_EQ(implementation->evaluate, nullptr);
  EXPECT_EQ(implementation->profile, nullptr);
}

TEST(PluginLibrary, RefusesWhatIsNoPlugin) {
  EXPECT_EQ(PluginLibrary::open(protocol::fake_plugin("abi").string()).error().kind, ErrorKind::unsupported);
  for (const std::string& file : {protocol::fake_plugin("no_entry").string(), std::string("/nowhere/plugin.so"),
                                  std::string(GDBENCH_SOURCE_DIR "/CMakeLists.txt")}) {
    EXPECT_FALSE(PluginLibrary::open(file).ok()) << file;
  }
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
