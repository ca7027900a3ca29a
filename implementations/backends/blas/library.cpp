#include "implementations/backends/blas/library.h"

#include <dlfcn.h>
#include <glob.h>

#include <climits>
#include <cstdlib>

#include "implementations/backends/blas/generated_product.h"
#include "implementations/common/failure.h"
#include "implementations/common/options.h"

namespace gdbench::backends::blas {

using implementations::Failure;

namespace {

// Where a name's library may lie; the first file that is there is opened. What scripts/frameworks installs is newer
// than Debian's and comes first.
struct Place {
  const char* name;
  const char* pattern;
};
constexpr Place kPlaces[] = {
    {"openblas", GDBENCH_BLAS_ENVIRONMENT "/lib/python*/site-packages/scipy_openblas32/lib/libscipy_openblas.so"},
    {"openblas", GDBENCH_LIBRARY_FOLDER "/openblas-openmp/libopenblas.so.0"},
    {"openblas", GDBENCH_LIBRARY_FOLDER "/openblas-pthread/libopenblas.so.0"},
    {"openblas", GDBENCH_LIBRARY_FOLDER "/openblas-serial/libopenblas.so.0"},
    {"blis", GDBENCH_LIBRARY_FOLDER "/blis-serial/libblis.so.4"},
    {"mkl", GDBENCH_BLAS_ENVIRONMENT "/lib/libmkl_rt.so.*"},
    {"atlas", GDBENCH_LIBRARY_FOLDER "/atlas/libblas.so.3"},
    {"reference", GDBENCH_LIBRARY_FOLDER "/blas/libblas.so.3"},
};

struct Name {
  const char* name;
  const char* installed_by;
};
constexpr const char* kGenerator = "libxsmm";
constexpr Name kNames[] = {
    {"openblas", "scripts/setup --peers, or scripts/frameworks blas"},
    {"blis", "scripts/setup --peers"},
    {"mkl", "scripts/frameworks blas"},
    {"atlas", "apt-get install libatlas3-base"},
    {"reference", "scripts/setup --peers"},
    {kGenerator, "scripts/setup --peers, then build"},
};

std::string first_file(const std::string& pattern) {
  glob_t found{};
  std::string file;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) file = found.gl_pathv[0];
  globfree(&found);
  return file;
}

std::string file_of(const std::string& choice) {
  if (choice.find('/') != std::string::npos) return choice;
  const Name* known = nullptr;
  std::string names;
  for (const Name& name : kNames) {
    if (choice == name.name) known = &name;
    names += std::string(name.name) + ", ";
  }
  if (known == nullptr) {
    throw Failure(GDBENCH_UNSUPPORTED, "library: found \"" + choice + "\", expected " + names + "or a file's path");
  }
  for (const Place& place : kPlaces) {
    if (choice != place.name) continue;
    if (std::string file = first_file(place.pattern); !file.empty()) return file;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "not installed: " + choice + " (" + known->installed_by + ")");
}

// The functions of an open library, some of which another build names otherwise.
class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {}  // null: there are none

  // Null where there is none of that name.
  template <class Function>
  Function* find(const std::string& name) const {
    if (handle_ == nullptr) return nullptr;      // which stands for the program itself otherwise
    for (const char* prefix : {"", "scipy_"}) {  // PyPI's OpenBLAS has a prefix, to differ from others
      if (void* symbol = dlsym(handle_, (prefix + name).c_str())) return reinterpret_cast<Function*>(symbol);
    }
    return nullptr;
  }

 private:
  void* handle_;
};

// Asked by its functions, because a file that the user names may be any of them.
std::string said_by(const Symbols& symbols) {
  if (auto* config = symbols.find<char*()>("openblas_get_config")) {
    auto* core = symbols.find<char*()>("openblas_get_corename");
    return std::string(config()) + (core == nullptr ? "" : std::string(", kernels of ") + core());
  }
  if (auto* version = symbols.find<const char*()>("bli_info_get_version_str")) {
    std::string text = std::string("BLIS ") + version();
    auto* id = symbols.find<int()>("bli_arch_query_id");
    auto* arch = symbols.find<const char*(int)>("bli_arch_string");
    if (id != nullptr && arch != nullptr) text += std::string(", kernels of ") + arch(id());
    return text;
  }
  if (auto* version = symbols.find<void(char*, int)>("MKL_Get_Version_String")) {
    char text[256] = {};
    version(text, sizeof text - 1);
    std::string trimmed = text;
    trimmed.erase(trimmed.find_last_not_of(' ') + 1);
    return trimmed;
  }
  return "a BLAS that says nothing of itself";
}

// How an OpenBLAS was built, as openblas_get_parallel says.
enum Parallel : int { kSequential = 0, kPosixThreads = 1, kOpenMp = 2 };

// Has every call use `threads` threads from now on. The rest of a step is shared by threads of OpenMP, whose number and
// processors the host knows: a library with a pool of its own is refused. So is an OpenBLAS built without
// threads that several of ours, the `callers`, use at the same time: its results are wrong.
void set_threads(const Symbols& symbols, const std::string& choice, int callers, int threads) {
  if (auto* parallel = symbols.find<int()>("openblas_get_parallel")) {
    if (callers > 1 && parallel() == kSequential) {
      throw Failure(GDBENCH_UNSUPPORTED, choice + " was built for one thread, and several would use it");
    }
    if (threads > 1 && parallel() != kOpenMp) {
      throw Failure(GDBENCH_UNSUPPORTED, choice + " has threads that are not OpenMP's; libopenblas0-openmp has such");
    }
    symbols.find<void(int)>("openblas_set_num_threads")(threads);
    return;
  }
  auto* set = symbols.find<void(int)>("MKL_Set_Num_Threads");
  auto* get = symbols.find<int()>("MKL_Get_Max_Threads");
  if (set != nullptr) set(threads);
  if (threads > 1 && (get == nullptr || get() != threads)) {
    throw Failure(GDBENCH_UNSUPPORTED, choice + " has no threads of its own");
  }
}

// Read when a library is loaded, which starts its threads then.
void set_environment(int threads) {
  for (const char* variable : {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    setenv(variable, std::to_string(threads).c_str(), 1);
  }
  setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU", 1);
}

std::string real_path(const std::string& file) {
  char resolved[PATH_MAX];
  return realpath(file.c_str(), resolved) == nullptr ? file : resolved;
}

struct Opened {
  std::string choice;
  Library library;
  void* handle = nullptr;  // null for libxsmm
};
Opened open_file(const std::string& choice, int threads) {
  const std::string file = file_of(choice);
  set_environment(threads);
  // Not RTLD_DEEPBIND: nothing else here exports a BLAS, and allocations would escape the host's counter.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Failure(GDBENCH_UNSUPPORTED, std::string("cannot open the BLAS: ") + dlerror());
  const Symbols symbols(handle);
  Library library;
  library.f32 = {symbols.find<std::remove_pointer_t<decltype(library.f32.gemm)>>("cblas_sgemm"),
                 symbols.find<std::remove_pointer_t<decltype(library.f32.gemv)>>("cblas_sgemv")};
  library.f64 = {symbols.find<std::remove_pointer_t<decltype(library.f64.gemm)>>("cblas_dgemm"),
                 symbols.find<std::remove_pointer_t<decltype(library.f64.gemv)>>("cblas_dgemv")};
  if (!library.f32.gemm || !library.f32.gemv || !library.f64.gemm || !library.f64.gemv) {
    throw Failure(GDBENCH_UNSUPPORTED, file + " does not export CBLAS (cblas_sgemm, cblas_sgemv and those of f64)");
  }
  library.description = said_by(symbols) + ", " + real_path(file);
  return {choice, std::move(library), handle};
}

Opened open_generator(const std::string& choice) {
  Library library;
  library.generates = true;
  library.description = start_generator();
  return {choice, std::move(library), nullptr};
}

Opened& opened() {
  static Opened opened;
  return opened;
}

}  // namespace

const gdbench_option kLibraryOption = {
    "library",
    GDBENCH_OPTION_STRING,
    0,
    "openblas",
    nullptr,
    "the BLAS: openblas, blis, mkl, atlas, reference, libxsmm (code generated for each product), or a file's path"};

void open_library(const gdbench_settings* settings, int threads) {
  std::string choice = settings == nullptr ? "" : implementations::option_value(*settings, kLibraryOption.key);
  if (choice.empty()) choice = kLibraryOption.default_value;
  if (opened().choice.empty()) {
    opened() = choice == kGenerator && generates() ? open_generator(choice) : open_file(choice, threads);
  } else if (opened().choice != choice) {
    throw Failure(GDBENCH_UNSUPPORTED, "this process computes with " + opened().choice + " already");
  }
  set_threads(Symbols(opened().handle), choice, settings == nullptr ? 1 : settings->compute_threads, threads);
}

const Library& library() { return opened().library; }

}  // namespace gdbench::backends::blas
