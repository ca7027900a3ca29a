#include "implementations/autodiff/casadi/generated.h"

#include <casadi/core/code_generator.hpp>
#include <casadi/core/external.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "implementations/common/failure.h"

namespace gdbench::autodiff {
namespace {

namespace fs = std::filesystem;
using implementations::Failure;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "gdbench-casadi-XXXXXX").string();
    if (error || mkdtemp(path_.data()) == nullptr) {
      throw Failure(GDBENCH_UNSUPPORTED, "no temporary folder can be made for the C that CasADi writes");
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The first line that a command of the shell wrote to stderr; nothing where it ended well.
std::optional<std::string> error_of(const std::string& command) {
  std::FILE* const errors = popen(("exec 2>&1 >/dev/null; " + command).c_str(), "r");
  if (errors == nullptr) return "no process can be started";
  std::string text;
  for (int next = 0; (next = std::fgetc(errors)) != EOF;) text += static_cast<char>(next);
  if (pclose(errors) == 0) return {};
  return text.substr(0, text.find('\n'));
}

}  // namespace

casadi::Function compiled(const casadi::Function& function) {
  const TemporaryFolder folder;
  casadi::CodeGenerator generator("step.c");
  generator.add(function);
  std::ofstream source(folder.path() + "/step.c");
  if (!(source << generator.dump() << std::flush)) {
    throw Failure(GDBENCH_UNSUPPORTED, "the C that CasADi writes cannot be kept in the temporary folder");
  }
  const auto error = error_of("cd '" + folder.path() + "' && cc -O3 -march=native -shared -fPIC step.c -o step.so -lm");
  if (error) throw Failure(GDBENCH_UNSUPPORTED, "cc cannot compile the C that CasADi wrote: " + *error);
  return casadi::external(function.name(), folder.path() + "/step.so");
}

}  // namespace gdbench::autodiff
