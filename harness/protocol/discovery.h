// Which implementations there are: asks every plugin and adapter of an arm's folders, each in a process of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/protocol/client.h"
#include "harness/protocol/protocol.h"

namespace gdbench::protocol {

// A plugin, a manifest or a Python file that the command line named: "./mine.cpp", which became a plugin.
struct NamedFile {
  std::string name;
  std::filesystem::path file;
};

// A Python that runs adapters, which the command line calls NAME: their ids end in "@NAME".
struct PythonEnvironment {
  std::string name;
  std::filesystem::path python;  // the interpreter
};
using Environment = std::optional<PythonEnvironment>;  // absent: the one that an adapter has by default

// Which build and which copy runs. Nothing assumes the coordinator's own.
struct Arm {
  std::string name = "new";
  std::filesystem::path worker;  // the gdbench binary whose worker hosts the plugins
  std::vector<std::filesystem::path> plugin_folders;
  std::vector<NamedFile> files;  // in addition to those of the folders
  std::vector<PythonEnvironment> environments;
  std::filesystem::path allocation_counter;  // to be preloaded into workers that are profiled; empty: there is none
  bool allows_writable_plugins = false;      // that others may have changed
};

struct CatalogueEntry {
  ImplementationDescription implementation;
  std::vector<std::string> command;  // argv of a worker that offers it, or that answers for several where it has ranks
  std::filesystem::path file;        // the plugin, or the adapter's manifest
  std::string named;                 // how --impl names it where that is not its id: "./mine.py:loop"
  Environment environment{};
  bool on_request = false;   // as its manifest says: it is a framework
  ClientFactory start;       // of such a worker
  std::string worker_build;  // of the process that answered
  // Of the arm; empty for a worker that would not read it.
  std::filesystem::path allocation_counter;
  std::string plugin;  // its name and version, for people
  // Set where the plugin could not be asked: the entry then stands for the whole plugin, as plugin/<file name>.
  std::optional<Error> problem;

  // Whether gdbench worker loads it; an adapter is a program of its own.
  bool hosted() const { return file.extension() == ".so"; }
};

// argv of a worker for a file: a shared object is hosted by the arm's worker; FILE.adapter.json, a manifest, names a
// command of its own, {"command": ["perl", "adapter.pl"]}, or a shared object, {"plugin": "mine.so"}. Relative file
// names are relative to that file, and the first word "{python}" is the interpreter that GDBENCH_PYTHON names, or
// /usr/bin/python3. FILE.py is run by own_file.py of the arm's frameworks, with the Python that GDBENCH_PYTHON names,
// or python3. An environment takes the place of these. Errors: a manifest without either, an arm without frameworks.
Result<std::vector<std::string>> worker_command(const Arm& arm, const std::filesystem::path& file,
                                                const Environment& environment = std::nullopt);

// argv that runs a script which describes its training (gdbench.describe). Errors: as above.
Result<std::vector<std::string>> describing_command(const Arm& arm, const std::filesystem::path& script);

// GDBENCH_PYTHON, empty where it is not set.
std::string chosen_python();

// Whether it is an adapter in Python that any environment can run: a Python file, or a framework's manifest.
bool takes_environment(const std::filesystem::path& file);

// Asks one file. A file that cannot be asked yields one entry with its problem.
std::vector<CatalogueEntry> ask(const Arm& arm, const std::filesystem::path& file, const Limits& limits,
                                const Environment& environment = std::nullopt);

// Errors: another user may write (file_writers.h) the file, its folder, a file that its manifest names, or a library
// that is opened from the folders next to it. The arm may allow that.
Status check_plugin(const Arm& arm, const std::filesystem::path& file);

// Asks every *.so and *.adapter.json of the arm's folders, in order of file name, but no *.so that a manifest next to
// it announces. What is there on request ({"command": [...], "on_request": "jax"}) is asked only where one of `globs`
// begins with what it names ("jax/jit", "jax/*"), and always where no globs are given. Frameworks and Python files are
// asked in each of the arm's environments. An id that was seen before becomes a problem entry: two plugins must not
// claim one name. Errors: those of check_plugin, what cannot be asked in an environment, that the system lets no worker
// be started, and a named file with an id that was seen before.
using Globs = std::optional<std::vector<std::string>>;
Result<std::vector<CatalogueEntry>> read_catalogue(const Arm& arm, const Limits& limits,
                                                   const Globs& globs = std::nullopt);

}  // namespace gdbench::protocol
