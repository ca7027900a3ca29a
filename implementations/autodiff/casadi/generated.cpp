#include "implementations/autodiff/casadi/generated.h"

#include <casadi/core/code_generator.hpp>
#include <casadi/core/external.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "implementations/common/failure.h"

namespace gdbench::autodiff {
namespace {

namespace fs = std::filesystem;
using implementations::Failure;

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "gdbench-casadi-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw Failure(GDBENCH_FAILED, "no temporary folder " + path_);
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

}  // namespace

casadi::Function compiled(const casadi::Function& function) {
  const TemporaryFolder folder;
  casadi::CodeGenerator generator("step.c");
  generator.add(function);
  generator.generate(folder.path() + "/");
  const std::string command = "cd '" + folder.path() +
                              "' && cc -O3 -march=native -shared -fPIC step.c -o step.so -lm "
                              ">/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) {
    throw Failure(GDBENCH_UNSUPPORTED, "the C that CasADi wrote cannot be compiled (cc): is there a C compiler?");
  }
  return casadi::external(function.name(), folder.path() + "/step.so");
}

}  // namespace gdbench::autodiff
