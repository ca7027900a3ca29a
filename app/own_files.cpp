#include "app/own_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "app/console.h"
#include "app/invocation.h"
#include "app/request.h"
#include "harness/base/hash.h"
#include "harness/base/kept_files.h"
#include "harness/base/text.h"
#include "harness/protocol/process.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

std::vector<protocol::NamedFile>& known_files() {
  static std::vector<protocol::NamedFile> files;
  return files;
}

struct Compiler {
  const char* variable;
  const char* flags;  // the variable with more of them
  const char* usual;
  const char* standard;
};

// Of a source's suffix; nothing for any other file.
std::optional<Compiler> compiler_of(const fs::path& file) {
  const std::string suffix = file.extension();
  if (suffix == ".c") return Compiler{"CC", "CFLAGS", "cc", "-std=c17"};
  if (suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx") return Compiler{"CXX", "CXXFLAGS", "c++", "-std=c++20"};
  return std::nullopt;
}

// "./mine.py:loop" as the file and what comes behind its colon; nothing where there is none.
std::pair<std::string, std::string> file_and_part(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos) return {word, ""};
  return {word.substr(0, colon), word.substr(colon + 1)};
}

bool is_own_file(const std::string& word) {
  const fs::path file(file_and_part(word).first);
  std::error_code error;
  const bool known_kind = file.extension() == ".py" || file.extension() == ".so" || compiler_of(file);
  return known_kind && (word.find('/') != std::string::npos || fs::is_regular_file(file, error));
}

// The folder that has gdbench/plugin.h: below a prefix, or that of the sources of a build.
fs::path include_folder() {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* candidate : {"../include", "../../../harness/abi"}) {
    const fs::path folder = (bin / candidate).lexically_normal();
    if (fs::is_regular_file(folder / "gdbench/plugin.h")) return folder;
  }
  return {};
}

// Runs it to its end. Errors: it failed, with the end of what it printed.
Status run_compiler(const std::vector<std::string>& command, const std::string& file) {
  constexpr double kMostSeconds = 600;
  constexpr int kNotFound = 127;
  protocol::Process process = TRY(protocol::Process::start(command, {}, {}));
  const protocol::ProcessEnd end = process.finish(kMostSeconds);
  if (end.is_success()) return {};
  if (end.number == kNotFound && end.kind == protocol::ProcessEnd::Kind::exit_status) {
    return usage_error(cat(file, ": found no compiler ", command.front(), " to compile it by, expected one on PATH or ",
                           "in $CC or $CXX"));
  }
  if (!process.output_tail().empty()) print_error(process.output_tail());
  return usage_error(cat(file, ": cannot be compiled by ", joined(command, " "), ": ", end.text()));
}

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The plugin of a source, compiled for this machine's processor; one that was made before from the same text, headers
// among it, by the same command, is taken as it is.
Result<fs::path> compiled(const fs::path& file, const Compiler& compiler) {
  const char* const chosen = std::getenv(compiler.variable);
  const fs::path include = include_folder();
  std::vector<std::string> command = {chosen != nullptr && *chosen != '\0' ? chosen : compiler.usual,
                                      compiler.standard,
                                      "-O3",
                                      "-march=native",
                                      "-fPIC",
                                      "-I" + include.string()};
  const char* const flags = std::getenv(compiler.flags);
  std::istringstream more(flags == nullptr ? "" : flags);
  for (std::string flag; more >> flag;) command.push_back(std::move(flag));
  const fs::path folder = default_cache_folder("own");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return usage_error(cat(folder.string(), ": cannot be made: ", error.message()));
  const auto with_output = [&](const char* what, const fs::path& output) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {what, file.string(), "-o", output.string()});
    return words;
  };
  const fs::path preprocessed = folder / cat(file.stem().string(), ".", getpid(), ".i");
  TRY(run_compiler(with_output("-E", preprocessed), file));
  Hash64 hash;
  hash.add(contents_of(preprocessed));
  hash.add(joined(command, " "));
  fs::remove(preprocessed, error);
  const fs::path plugin = folder / cat(file.stem().string(), "-", hexadecimal(hash.value()), ".so");
  if (fs::is_regular_file(plugin)) return plugin;
  const fs::path made = folder / cat(file.stem().string(), ".", getpid(), ".so");
  const std::vector<std::string> whole = with_output("-shared", made);
  print_error("gdbench: " + joined(whole, " "));
  TRY(run_compiler(whole, file));
  fs::rename(made, plugin, error);
  if (error) return usage_error(cat(plugin.string(), ": cannot be written: ", error.message()));
  return plugin;
}

// What is asked in the place of a file.
Result<fs::path> plugin_of(const std::string& word) {
  const fs::path file(word);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return usage_error(word + ": found no such file");
  if (const auto compiler = compiler_of(file)) return compiled(file, *compiler);
  return fs::absolute(file).lexically_normal();
}

// The ids that a word stands for, separated by commas; one that names no file itself.
Result<std::string> with_ids(const std::string& word) {
  if (!is_own_file(word)) return word;
  const auto [file, part] = file_and_part(word);
  const fs::path plugin = TRY(plugin_of(file));
  TRY(protocol::check_plugin(this_build(), plugin));
  const std::string function = without_environment(part);
  std::vector<std::string> ids;
  std::vector<std::string> parts;
  for (const protocol::CatalogueEntry& entry : protocol::ask(this_build(), plugin, worker_limits({}))) {
    if (entry.problem) return usage_error(cat(file, ": ", entry.problem->message));
    const std::string& id = entry.implementation.id;
    parts.push_back(id.substr(id.find('/') + 1));
    if (function.empty() || function == parts.back()) ids.push_back(id + part.substr(function.size()));
  }
  if (ids.empty()) {
    return usage_error(cat(file, ": found nothing called ", in_quotes(part), ", expected ", one_of(part, parts)));
  }
  if (std::ranges::find(known_files(), plugin, &protocol::NamedFile::file) == known_files().end()) {
    known_files().push_back({file, plugin});
  }
  return joined(ids, ",");
}

}  // namespace

Result<std::vector<std::string>> replace_own_files(const std::vector<std::string>& command) {
  std::vector<std::string> replaced = command;
  for (std::size_t i = 1; i < replaced.size(); ++i) {
    for (const std::string option : {"--impl", "--baseline"}) {
      if (replaced[i].starts_with(option + "=")) {
        replaced[i] = option + "=" + TRY(with_ids(replaced[i].substr(option.size() + 1)));
      } else if (replaced[i - 1] == option) {
        replaced[i] = TRY(with_ids(replaced[i]));
      }
    }
    const bool is_checked = i > 2 && replaced[1] == "plugin" && replaced[i - 1] == "check";
    if (is_checked && compiler_of(replaced[i])) replaced[i] = TRY(plugin_of(replaced[i])).string();
  }
  return replaced;
}

Status describe_script(const std::string& script, const fs::path& written) {
  constexpr double kMostSeconds = 600;
  std::vector<std::string> command = TRY(protocol::describing_command(this_build(), script));
  command.insert(command.begin(), {"/usr/bin/env", "GDBENCH_DESCRIPTION=" + written.string()});
  protocol::Process process = TRY(protocol::Process::start(command, {}, {}));
  const protocol::ProcessEnd end = process.finish(kMostSeconds);
  if (end.is_success() && fs::is_regular_file(written)) return {};
  const std::string last = process.last_output_line();
  return usage_error(cat(script, ": found no call of gdbench.describe before its end (", end.text(),
                         last.empty() ? "" : ": " + last, "), expected one, such as gdbench.describe(x, y, model(x), ",
                         "weights, optimizer, loss=\"mse\"): a script does not show what it times; or a description in "
                         "JSON, by the keys of harness/questions/fairness/DESCRIPTION.md"));
}

const std::vector<protocol::NamedFile>& own_files() { return known_files(); }

}  // namespace gdbench::app
