#include "harness/protocol/discovery.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/unit/protocol/plugins.h"

namespace gdbench::protocol {
namespace {

using Words = std::vector<std::string>;

TEST(WorkerCommand, APluginIsHostedByTheArmsWorker) {
  const Result<Words> command = worker_command(test_arm(), "relative/mine.so");
  ASSERT_EQ(command->size(), 4U);
  EXPECT_EQ(command.value()[0], test_arm().worker.string());
  EXPECT_EQ(command.value()[1], "worker");
  EXPECT_EQ(command.value()[3], std::filesystem::absolute("relative/mine.so").string());
}

TEST(WorkerCommand, AnAdaptersFilesAreFoundBesideIt) {
  const TemporaryFolder folder;
  folder.write("adapter.pl", "");
  const auto file = folder.write("mine.adapter.json", R"({"command": ["perl", "adapter.pl", "--fast", "other.pl"]})");
  const Result<Words> command = worker_command(test_arm(), file);
  EXPECT_EQ(command.value(), (Words{"perl", (folder.path() / "adapter.pl").string(), "--fast", "other.pl"}));
}

TEST(WorkerCommand, TheInterpreterOfAnAdapterIsTheOneThatIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("mine.adapter.json", R"({"command": ["{python}", "-B", "{python}"]})");
  for (const char* name : {"/some/python", "", static_cast<const char*>(nullptr)}) {
    if (name == nullptr) {
      unsetenv("GDBENCH_PYTHON");
    } else {
      setenv("GDBENCH_PYTHON", name, 1);
    }
    const bool is_named = name != nullptr && *name != '\0';
    EXPECT_EQ(worker_command(test_arm(), file).value(),
              (Words{is_named ? name : "/usr/bin/python3", "-B", "{python}"}));
  }
}

TEST(WorkerCommand, AMalformedManifestIsNamed) {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "[]", "3", "{}", R"({"command": "perl"})", R"({"command": []})",
                           R"({"command": ["perl", 3]})", R"({"command": {"a": "b"}})", R"({"command": null})"}) {
    const auto file = folder.write("bad.adapter.json", text);
    const Result<Words> command = worker_command(test_arm(), file);
    EXPECT_EQ(command.error().kind, ErrorKind::usage);
    EXPECT_EQ(command.error().message, file.string() + ": /command: expected a list of words") << text;
  }
}

TEST(Ask, DescribesAPluginAndAnAdapter) {
  const std::vector<CatalogueEntry> plugin = ask(test_arm(), fake_plugin("delay"), {});
  ASSERT_EQ(plugin.size(), 1U);
  EXPECT_FALSE(plugin[0].problem.has_value());
  EXPECT_EQ(plugin[0].plugin, "fake 1");
  EXPECT_EQ(plugin[0].implementation.options.at(0).type, OptionType::integer);
  EXPECT_EQ(plugin[0].implementation.losses, (Words{"mse", "half_mse"}));
  const std::vector<CatalogueEntry> adapters = ask(test_arm(), adapter("adapters", "script"), {});
  ASSERT_EQ(adapters.size(), 1U);
  EXPECT_EQ(adapters[0].implementation.options.at(0).choices, (Words{"rows", "reversed"}));
}

TEST(Ask, AFileThatCannotBeAskedIsOneEntryWithItsProblem) {
  const TemporaryFolder folder;
  std::signal(SIGPIPE, SIG_IGN);
  for (const char* name : {"text.so", "bad.adapter.json", "nowhere.adapter.json"}) {
    const auto file = folder.write(
        name, std::string(name) == "nowhere.adapter.json" ? R"({"command": ["/nowhere/interpreter"]})" : "no plugin");
    const std::vector<CatalogueEntry> entries = ask(test_arm(), file, {});
    ASSERT_EQ(entries.size(), 1U) << name;
    ASSERT_TRUE(entries[0].problem.has_value()) << name;
    EXPECT_EQ(entries[0].implementation.id, "plugin/" + std::string(name).substr(0, std::string(name).find('.')));
  }
}

TEST(ReadCatalogue, AsksAnAdapterOnRequestOnlyWhereAGlobNamesIt) {
  const TemporaryFolder folder;
  folder.write("jax.adapter.json", R"({"command": ["/nowhere/interpreter"], "on_request": "jax"})");
  std::signal(SIGPIPE, SIG_IGN);
  Arm arm = test_arm();
  arm.plugin_folders = {folder.path()};
  EXPECT_EQ(read_catalogue(arm, {})->size(), 1U);
  EXPECT_EQ(read_catalogue(arm, {}, Words{"hand/*", "jax/jit"})->size(), 1U);
  EXPECT_EQ(read_catalogue(arm, {}, Words{"*", "*/jit", "jaxer/jit"})->size(), 0U);
  EXPECT_EQ(read_catalogue(arm, {}, Words{})->size(), 0U);
}

TEST(ReadCatalogue, AFrameworkIsAskedInItsEnvironments) {
  const TemporaryFolder folder;
  folder.write("jax.adapter.json", R"({"command": ["false", "frameworks/start.py", "jax"], "on_request": "jax"})");
  folder.write("a.adapter.json", R"({"command": ["false"]})");
  std::signal(SIGPIPE, SIG_IGN);
  Arm arm = test_arm();
  arm.plugin_folders = {folder.path()};
  arm.environments = {{"old", "/a/python"}, {"new", "/b/python"}};
  EXPECT_EQ(read_catalogue(arm, {}, Words{}).value().at(0).implementation.id, "plugin/a");
  const auto catalogue = read_catalogue(arm, {});
  ASSERT_FALSE(catalogue.ok());
  EXPECT_TRUE(catalogue.error().message.starts_with("--env old: jax.adapter.json: could not be asked: "))
      << catalogue.error().message;
  const Words command = worker_command(arm, folder.path() / "jax.adapter.json", arm.environments[1]).value();
  EXPECT_EQ(command, (Words{"/usr/bin/env", "-u", "GDBENCH_FRAMEWORKS", "GDBENCH_PYTHON=/b/python", "false",
                            "frameworks/start.py", "jax"}));
}

TEST(ReadCatalogue, APluginWithAManifestIsAskedThroughIt) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(fake_plugin("delay"), folder.path() / "delay.so");
  const auto manifest = folder.write("fake.adapter.json", R"({"plugin": "delay.so", "on_request": "fake"})");
  EXPECT_EQ(worker_command(test_arm(), manifest).value(),
            worker_command(test_arm(), folder.path() / "delay.so").value());
  Arm arm = test_arm();
  arm.plugin_folders = {folder.path()};
  EXPECT_EQ(read_catalogue(arm, {}, Words{"*"})->size(), 0U);
  const std::vector<CatalogueEntry> catalogue = read_catalogue(arm, {}).value();
  ASSERT_EQ(catalogue.size(), 1U);
  EXPECT_EQ(catalogue[0].implementation.id, "fake/delay");
  EXPECT_TRUE(catalogue[0].on_request);
  EXPECT_TRUE(catalogue[0].hosted());
}

TEST(ReadCatalogue, RefusesAFolderThatIsNotThere) {
  Arm arm = test_arm();
  arm.plugin_folders = {"/nowhere"};
  const auto catalogue = read_catalogue(arm, {});
  ASSERT_FALSE(catalogue.ok());
  EXPECT_EQ(catalogue.error().message, "GDBENCH_PLUGIN_PATH: found \"/nowhere\", expected a folder");
}

TEST(ReadCatalogue, TwoPluginsCannotHaveOneName) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(fake_plugin("delay"), folder.path() / "a.so");
  std::filesystem::copy_file(fake_plugin("delay"), folder.path() / "b.so");
  std::filesystem::copy_file(fake_plugin("null"), folder.path() / "c.so");
  folder.write("README.txt", "no plugin");
  Arm arm = test_arm();
  arm.plugin_folders = {folder.path()};
  const std::vector<CatalogueEntry> catalogue = read_catalogue(arm, {}).value();
  ASSERT_EQ(catalogue.size(), 3U);
  EXPECT_EQ(catalogue[0].implementation.id, "fake/delay");
  EXPECT_EQ(catalogue[1].implementation.id, "plugin/b");
  ASSERT_TRUE(catalogue[1].problem.has_value());
  EXPECT_NE(catalogue[1].problem->message.find("fake/delay"), std::string::npos);
  EXPECT_EQ(catalogue[2].implementation.id, "null/none");
  EXPECT_TRUE(catalogue[2].implementation.has_capability("no_arithmetic"));
}

}  // namespace
}  // namespace gdbench::protocol
