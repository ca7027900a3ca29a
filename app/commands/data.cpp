#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "app/commands.h"
#include "app/python_environments.h"
#include "harness/base/text.h"
#include "harness/protocol/discovery.h"

namespace gdbench::app {

namespace {

struct ConvertOptions {
  std::string file;
  std::string out;
};

// Becomes the interpreter, which has the package gdbench of this program.
Result<int> convert(const ConvertOptions& options) {
  const std::string chosen = protocol::chosen_python();
  const std::string python = chosen.empty() ? "python3" : chosen;
  for (const std::filesystem::path& folder : this_build().plugin_folders) {
    if (!std::filesystem::is_directory(folder / "python/gdbench")) continue;
    const char* const path = std::getenv("PYTHONPATH");
    setenv("PYTHONPATH", cat((folder / "python").string(), path == nullptr ? "" : cat(":", path)).c_str(), 1);
    execlp(python.c_str(), python.c_str(), "-B", "-m", "gdbench.convert", options.file.c_str(), options.out.c_str(),
           nullptr);
    return usage_error(cat(python, ": ", std::strerror(errno), ", expected a Python with pandas (--python)"));
  }
  return failure("found no package gdbench of Python beside this program");
}

}  // namespace

void add_data(CLI::App& app, Invocation& invocation) {
  CLI::App& command = *app.add_subcommand("data", "Files of data");
  command.require_subcommand(1);
  auto options = std::make_shared<ConvertOptions>();
  CLI::App& converts = *command.add_subcommand(
      "convert",
      "Write a Parquet, Excel, JSON, HDF5, Stata ... file as one that scenarios read, by your Python's pandas");
  add_value(converts, "file", "FILE", options->file, "A file of a kind that pandas reads")
      ->required()
      ->check(readable_file());
  add_value(converts, "out", "FILE", options->out,
            "A .csv (.csv.gz, .csv.zst) with all columns, or an .npy of numbers to stream")
      ->required();
  add_interpreter(converts);
  when_chosen(converts, invocation, [options] { return convert(*options); });
}

}  // namespace gdbench::app
