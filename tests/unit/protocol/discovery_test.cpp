#include "harness/protocol/discovery.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/unit/protocol/plugins.h"

namespace gdbench::protocol {
namespace {

using Words = std::vector<std::string>;

class Discovery : public testing::Test {
 protected:
  Discovery() {
    std::signal(SIGPIPE, SIG_IGN);
    arm_.plugin_folders = {folder_.path()};
  }

  const TemporaryFolder folder_;
  Arm arm_ = test_arm();
};

using WorkerCommand = Discovery;
using Ask = Discovery;
using ReadCatalogue = Discovery;

TEST_F(WorkerCommand, APluginIsHostedByTheArmsWorker) {
  const Result<Words> command = worker_command(arm_, "relative/mine.so");
  ASSERT_EQ(command->size(), 4U);
  EXPECT_EQ(command.value()[0], arm_.worker.string());
  EXPECT_EQ(command.value()[1], "worker");
  EXPECT_EQ(command.value()[3], std::filesystem::absolute("relative/mine.so").string());
}

TEST_F(WorkerCommand, AnAdaptersFilesAreFoundBesideIt) {
  folder_.write("adapter.pl", "");
  const auto file = folder_.write("mine.adapter.json", R"({"command": ["perl", "adapter.pl", "--fast", "other.pl"]})");
  const Result<Words> command = worker_command(arm_, file);
  EXPECT_EQ(command.value(), (Words{"perl", (folder_.path() / "adapter.pl").string(), "--fast", "other.pl"}));
}

TEST_F(WorkerCommand, TheInterpreterOfAnAdapterIsTheOneThatIsNamed) {
  const auto file = folder_.write("mine.adapter.json", R"({"command": ["{python}", "-B", "{python}"]})");
  for (const char* name : {"/some/python", "", static_cast<const char*>(nullptr)}) {
    if (name == nullptr) {
      unsetenv("GDBENCH_PYTHON");
    } else {
      setenv("GDBENCH_PYTHON", name, 1);
    }
    const bool is_named = name != nullptr && *name != '\0';
    EXPECT_EQ(worker_command(arm_, file).value(), (Words{is_named ? name : "/usr/bin/python3", "-B", "{python}"}));
  }
}

TEST_F(WorkerCommand, AMalformedManifestIsNamed) {
  for (const char* text : {"", "{", "[]", "3", "{}", R"({"command": "perl"})", R"({"command": []})",
                           R"({"command": ["perl", 3]})", R"({"command": {"a": "b"}})", R"({"command": null})"}) {
    const auto file = folder_.write("bad.adapter.json", text);
    const Result<Words> command = worker_command(arm_, file);
    EXPECT_EQ(command.error().kind, ErrorKind::usage);
    EXPECT_EQ(command.error().message, file.string() + ": /command: expected a list of words") << text;
  }
}

TEST_F(Ask, DescribesAPluginAndAnAdapter) {
  const std::vector<CatalogueEntry> plugin = ask(arm_, fake_plugin("delay"), {});
  ASSERT_EQ(plugin.size(), 1U);
  EXPECT_FALSE(plugin[0].problem.has_value());
  EXPECT_EQ(plugin[0].plugin, "fake 1");
  EXPECT_EQ(plugin[0].implementation.options.at(0).type, OptionType::integer);
  EXPECT_EQ(plugin[0].implementation.losses, (Words{"mse", "half_mse"}));
  const std::vector<CatalogueEntry> adapters = ask(arm_, adapter("adapters", "script"), {});
  ASSERT_EQ(adapters.size(), 1U);
  EXPECT_EQ(adapters[0].implementation.options.at(0).choices, (Words{"rows", "reversed"}));
}

TEST_F(Ask, AFileThatCannotBeAskedIsOneEntryWithItsProblem) {
  for (const char* name : {"text.so", "bad.adapter.json", "nowhere.adapter.json"}) {
    const auto file = folder_.write(
        name, std::string(name) == "nowhere.adapter.json" ? R"({"command": ["/nowhere/interpreter"]})" : "no plugin");
    const std::vector<CatalogueEntry> entries = ask(arm_, file, {});
    ASSERT_EQ(entries.size(), 1U) << name;
    ASSERT_TRUE(entries[0].problem.has_value()) << name;
    EXPECT_EQ(entries[0].implementation.id, "plugin/" + std::string(name).substr(0, std::string(name).find('.')));
  }
}

TEST_F(ReadCatalogue, AsksAnAdapterOnRequestOnlyWhereAGlobNamesIt) {
  folder_.write("jax.adapter.json", R"({"command": ["/nowhere/interpreter"], "on_request": "jax"})");
  EXPECT_EQ(read_catalogue(arm_, {})->size(), 1U);
  EXPECT_EQ(read_catalogue(arm_, {}, Words{"hand/*", "jax/jit"})->size(), 1U);
  EXPECT_EQ(read_catalogue(arm_, {}, Words{"*", "*/jit", "jaxer/jit"})->size(), 0U);
  EXPECT_EQ(read_catalogue(arm_, {}, Words{})->size(), 0U);
}

TEST_F(ReadCatalogue, AFrameworkIsAskedInItsEnvironments) {
  folder_.write("jax.adapter.json", R"({"command": ["false", "frameworks/start.py", "jax"], "on_request": "jax"})");
  folder_.write("a.adapter.json", R"({"command": ["false"]})");
  arm_.environments = {{"old", "/a/python"}, {"new", "/b/python"}};
  EXPECT_EQ(read_catalogue(arm_, {}, Words{}).value().at(0).implementation.id, "plugin/a");
  const std::string fault = read_catalogue(arm_, {}).error().message;
  EXPECT_TRUE(fault.starts_with("--env old: jax.adapter.json: could not be asked: ")) << fault;
  const Words command = worker_command(arm_, folder_.path() / "jax.adapter.json", arm_.environments[1]).value();
  EXPECT_EQ(command, (Words{"/usr/bin/env", "-u", "GDBENCH_FRAMEWORKS", "GDBENCH_PYTHON=/b/python", "false",
                            "frameworks/start.py", "jax"}));
}

TEST_F(ReadCatalogue, APluginWithAManifestIsAskedThroughIt) {
  std::filesystem::copy_file(fake_plugin("delay"), folder_.path() / "delay.so");
  const auto manifest = folder_.write("fake.adapter.json", R"({"plugin": "delay.so", "on_request": "fake"})");
  EXPECT_EQ(worker_command(arm_, manifest).value(), worker_command(arm_, folder_.path() / "delay.so").value());
  EXPECT_EQ(read_catalogue(arm_, {}, Words{"*"})->size(), 0U);
  const std::vector<CatalogueEntry> catalogue = read_catalogue(arm_, {}).value();
  ASSERT_EQ(catalogue.size(), 1U);
  EXPECT_EQ(catalogue[0].implementation.id, "fake/delay");
  EXPECT_TRUE(catalogue[0].on_request);
  EXPECT_TRUE(catalogue[0].hosted());
}

TEST_F(ReadCatalogue, RefusesAFolderThatIsNotThere) {
  arm_.plugin_folders = {"/nowhere"};
  EXPECT_EQ(read_catalogue(arm_, {}).error().message, "GDBENCH_PLUGIN_PATH: found \"/nowhere\", expected a folder");
}

TEST_F(ReadCatalogue, TwoPluginsCannotHaveOneName) {
  std::filesystem::copy_file(fake_plugin("delay"), folder_.path() / "a.so");
  std::filesystem::copy_file(fake_plugin("delay"), folder_.path() / "b.so");
  std::filesystem::copy_file(fake_plugin("null"), folder_.path() / "c.so");
  folder_.write("README.txt", "no plugin");
  const std::vector<CatalogueEntry> catalogue = read_catalogue(arm_, {}).value();
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
