#include "harness/protocol/discovery.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/protocol/file_writers.h"
#include "harness/protocol/process_client.h"

namespace gdbench::protocol {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifestSuffix = ".adapter.json";
constexpr const char* kInterpreter = "{python}";  // in a manifest's command

bool is_manifest(const fs::path& file) { return file.string().ends_with(kManifestSuffix); }

CatalogueEntry problem_entry(const fs::path& file, Error problem) {
  CatalogueEntry entry;
  std::string name = file.filename().string();
  for (const char* suffix : {kManifestSuffix, ".so"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - std::string(suffix).size());
  }
  std::ranges::replace_if(
      name,
      [](char character) {
        return !is_name({&character, 1});
      },
      '_');
  entry.implementation.id = "plugin/" + name;
  entry.file = file;
  entry.problem = std::move(problem);
  return entry;
}

// An object in any case.
Json read_manifest(const fs::path& file) {
  std::ifstream stream(file);
  Json manifest = Json::parse(stream, nullptr, false);
  return manifest.is_object() ? manifest : Json::object();
}

// A text of a manifest; empty where it has none.
std::string manifest_text(const fs::path& file, const char* key) {
  if (!is_manifest(file)) return {};
  const Json text = read_manifest(file).value(key, Json());
  return text.is_string() ? text.get<std::string>() : std::string();
}

// The shared object that a manifest announces; any other file itself.
fs::path announced(const fs::path& file) {
  const std::string plugin = manifest_text(file, "plugin");
  return plugin.empty() ? file : file.parent_path() / plugin;
}

bool wanted(const fs::path& file, const Globs& globs) {
  const std::string name = manifest_text(file, "on_request");
  return !globs || name.empty() ||
         std::ranges::any_of(*globs, [&](const std::string& glob) { return glob.starts_with(name + "/"); });
}

// That of the environment or, where there is none, that of GDBENCH_PYTHON where it is set.
std::string python_of(const Environment& environment, const char* usual) {
  if (environment) return environment->python.string();
  const std::string python = chosen_python();
  return python.empty() ? usual : python;
}

Result<std::vector<std::string>> adapter_command(const fs::path& file, const Environment& environment) {
  const Json command = read_manifest(file).value("command", Json());
  std::vector<std::string> argv;
  for (const Json& word : command) {
    if (!word.is_string()) break;
    argv.push_back(word.get<std::string>());
  }
  if (!command.is_array() || argv.empty() || argv.size() != command.size()) {
    return usage_error(file.string() + ": /command: expected a list of words");
  }
  if (argv.front() == kInterpreter) argv.front() = python_of(environment, "/usr/bin/python3");
  for (std::string& word : argv) {
    const fs::path sibling = file.parent_path() / word;
    if (fs::path(word).is_relative() && fs::is_regular_file(sibling)) word = sibling.string();
  }
  return argv;
}

// own_file.py with a Python file, behind `what` it is to do with it.
Result<std::vector<std::string>> python_command(const Arm& arm, const fs::path& file, const Environment& environment,
                                                const std::vector<std::string>& what) {
  for (const fs::path& folder : arm.plugin_folders) {
    const fs::path runner = folder / "frameworks/own_file.py";
    if (!fs::is_regular_file(runner)) continue;
    std::vector<std::string> command = {python_of(environment, "python3"), "-B", runner.string()};
    command.insert(command.end(), what.begin(), what.end());
    command.insert(command.end(), {fs::absolute(file).string(), (folder / "python").string()});
    return command;
  }
  return usage_error(cat(file.string(), ": this installation has no frameworks/own_file.py, which Python files need"));
}

std::vector<fs::path> plugin_files(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> here;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".so" || is_manifest(entry.path())) here.push_back(entry.path());
    }
    std::sort(here.begin(), here.end());
    std::set<fs::path> known;  // through their manifests
    for (const fs::path& file : here) {
      if (fs::path plugin = announced(file); plugin != file) known.insert(std::move(plugin));
    }
    std::ranges::copy_if(here, std::back_inserter(files), [&](const fs::path& file) { return !known.contains(file); });
  }
  return files;
}

}  // namespace

std::string chosen_python() {
  const char* const python = std::getenv("GDBENCH_PYTHON");
  return python == nullptr ? "" : python;
}

bool takes_environment(const fs::path& file) {
  if (!is_manifest(file)) return file.extension() == ".py";
  const Result<std::vector<std::string>> command = adapter_command(file, std::nullopt);
  return command.ok() &&
         std::ranges::any_of(*command, [](const std::string& word) { return word.ends_with("frameworks/start.py"); });
}

Result<std::vector<std::string>> worker_command(const Arm& arm, const fs::path& announcement,
                                                const Environment& environment) {
  const fs::path file = announced(announcement);
  if (is_manifest(file)) {
    std::vector<std::string> command = TRY(adapter_command(file, environment));
    if (environment)
      command.insert(command.begin(),
                     {"/usr/bin/env", "-u", "GDBENCH_FRAMEWORKS", "GDBENCH_PYTHON=" + environment->python.string()});
    return command;
  }
  if (file.extension() == ".py") return python_command(arm, file, environment, {});
  // dlopen looks a bare name up elsewhere; an absolute path is taken as it is.
  return std::vector<std::string>{arm.worker.string(), "worker", "--plugin", fs::absolute(file).string()};
}

Result<std::vector<std::string>> describing_command(const Arm& arm, const fs::path& script) {
  return python_command(arm, script, std::nullopt, {"--describe"});
}

namespace {

// What is opened from a folder of plugins, whichever of them is run.
Status check_folder(const fs::path& folder) {
  TRY(check_writers(folder));
  for (const char* name : {"kernels", "preload", "ranks"}) {
    std::error_code error;
    TRY(check_writers(folder / name));
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / name, error)) {
      TRY(check_writers(entry.path()));
    }
  }
  return {};
}

// A plugin or a manifest, and the files that the manifest names.
Status check_file(const Arm& arm, const fs::path& file) {
  TRY(check_writers(file));
  TRY(check_writers(announced(file)));
  if (!is_manifest(file)) return {};
  const Result<std::vector<std::string>> command = worker_command(arm, file);
  if (!command.ok()) return {};  // the request to it will say so
  for (const std::string& word : *command) {
    if (word.find('/') != word.npos) TRY(check_writers(word));
  }
  return {};
}

// Ids are matched by globs and are printed; keys are words of the command line.
Status check_names(const std::vector<ImplementationDescription>& implementations) {
  const auto wrong = [](const std::string& pointer, const std::string& found, const std::string& expected) {
    return failure(cat("hello: ", pointer, ": found ", in_quotes(found), ", expected ", expected));
  };
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    const std::string pointer = cat("/implementations/", i);
    const ImplementationDescription& implementation = implementations[i];
    if (!is_name(implementation.id, kMoreInIds)) return wrong(pointer + "/id", implementation.id, kExpectedId);
    for (std::size_t j = 0; j < implementation.options.size(); ++j) {
      const std::string& key = implementation.options[j].key;
      if (!is_name(key)) return wrong(cat(pointer, "/options/", j, "/key"), key, kExpectedName);
      const auto same = [&](const OptionDeclaration& other) { return other.key == key; };
      if (std::ranges::count_if(implementation.options, same) > 1) {
        return wrong(cat(pointer, "/options/", j, "/key"), key, "one option of that key");
      }
    }
    // What is computed less exactly than others compute it must be seen in each table.
    for (const char* const capability : {"tf32_products", "rounds_parameters", "rounds_stochastically"}) {
      if (implementation.has_capability(capability) && implementation.id.find('+') == std::string::npos) {
        return wrong(pointer + "/id", implementation.id, cat("a policy in it (\"+NAME\") for ", capability));
      }
    }
  }
  return {};
}

}  // namespace

std::vector<CatalogueEntry> ask(const Arm& arm, const fs::path& file, const Limits& limits,
                                const Environment& environment) {
  const Result<std::vector<std::string>> command = worker_command(arm, file, environment);
  if (!command.ok()) return {problem_entry(file, command.error())};
  const Result<std::unique_ptr<Client>> started = ProcessClient::start(command.value(), nullptr, nullptr, limits);
  if (!started.ok()) return {problem_entry(file, started.error())};
  Client& client = *started.value();
  const Result<HelloAnswer> hello = client.hello();
  if (!hello.ok()) return {problem_entry(file, hello.error())};
  if (Status status = check_names(hello->implementations); !status.ok()) return {problem_entry(file, status.error())};
  if (Status status = client.bye(); !status.ok()) return {problem_entry(file, status.error())};

  std::vector<CatalogueEntry> entries;
  for (const ImplementationDescription& implementation : hello->implementations) {
    CatalogueEntry entry;
    entry.implementation = implementation;
    entry.command = command.value();
    entry.file = announced(file);
    if (!entry.hosted() && implementation.has_capability(name_of(catalogue::Capability::ranks))) {
      std::erase_if(entry.implementation.options,
                    [](const OptionDeclaration& option) { return option.key == catalogue::kRanksOption; });
      entry.implementation.options.push_back(rank_count_option());
      entry.command.insert(entry.command.begin(), {arm.worker.string(), "worker", "--adapter"});
    }
    entry.on_request = !manifest_text(file, "on_request").empty();
    entry.start = ProcessClient::start;
    entry.worker_build = hello->worker.build;
    if (entry.hosted()) entry.allocation_counter = arm.allocation_counter;
    entry.plugin = hello->plugin.name + " " + hello->plugin.version;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status check_plugin(const Arm& arm, const fs::path& file) {
  if (arm.allows_writable_plugins) return {};
  TRY(check_folder(fs::absolute(file).parent_path()));
  return check_file(arm, file);
}

namespace {

// What a file offers in each environment that can run it.
std::vector<CatalogueEntry> ask_in_each(const Arm& arm, const fs::path& file, const Limits& limits) {
  if (arm.environments.empty() || !takes_environment(file)) return ask(arm, file, limits);
  std::vector<CatalogueEntry> entries;
  for (const PythonEnvironment& environment : arm.environments) {
    for (CatalogueEntry& entry : ask(arm, file, limits, environment)) {
      entry.environment = environment;
      entry.implementation.id += kEnvironmentMark + environment.name;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace

Result<std::vector<CatalogueEntry>> read_catalogue(const Arm& arm, const Limits& limits, const Globs& globs) {
  std::vector<CatalogueEntry> catalogue;
  std::set<std::string> seen;
  std::set<fs::path> checked;
  for (const fs::path& folder : arm.plugin_folders) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      return usage_error(cat("GDBENCH_PLUGIN_PATH: found ", in_quotes(folder.string()), ", expected a folder"));
    }
  }
  if (!arm.allows_writable_plugins) {
    for (const PythonEnvironment& environment : arm.environments) TRY(check_writers(environment.python));
  }
  std::vector<NamedFile> files;
  for (fs::path& file : plugin_files(arm.plugin_folders)) files.push_back({"", std::move(file)});
  files.insert(files.end(), arm.files.begin(), arm.files.end());
  for (const auto& [name, file] : files) {
    if (!wanted(file, globs)) continue;
    if (!arm.allows_writable_plugins) {
      if (checked.insert(file.parent_path()).second) TRY(check_folder(fs::absolute(file).parent_path()));
      TRY(check_file(arm, file));
    }
    for (CatalogueEntry& entry : ask_in_each(arm, file, limits)) {
      if (entry.problem && entry.problem->kind == ErrorKind::exhausted) return *entry.problem;
      if (entry.problem && entry.environment) {
        return usage_error(cat("--env ", entry.environment->name, ": ", file.filename().string(),
                               ": could not be asked: ", entry.problem->message));
      }
      const bool is_new = seen.insert(entry.implementation.id).second;
      if (!is_new && !name.empty()) {
        return usage_error(cat(name, ": offers ", entry.implementation.id,
                               ", which is another implementation here, expected a name of its own: rename the file"));
      }
      if (!is_new) {
        entry = problem_entry(file, failure("offers " + entry.implementation.id + ", which another plugin offers too"));
      }
      const std::string id = without_environment(entry.implementation.id);
      if (!name.empty()) entry.named = cat(name, ":", id.substr(id.find('/') + 1));
      catalogue.push_back(std::move(entry));
    }
  }
  return catalogue;
}

}  // namespace gdbench::protocol
