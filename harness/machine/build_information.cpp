#include "harness/machine/build_information.h"

#include "gdbench/git_revision.h"
#include "harness/base/json.h"

namespace gdbench::machine {

namespace {

Json text_or_null(const char* text) { return *text == '\0' ? Json() : Json(text); }

}  // namespace

Json build_information() {
  return {
      {"compiler", text_or_null(GDBENCH_COMPILER)},        {"flags", GDBENCH_FLAGS},
      {"type", text_or_null(GDBENCH_BUILD_TYPE)},          {"git_revision", text_or_null(kGitRevision)},
      {"git_dirty", kGitKnown ? Json(kGitDirty) : Json()}, {"git_committed_at", text_or_null(kGitCommittedAt)},
  };
}

Json library_versions() {
  return {
      {"google_benchmark", text_or_null(GDBENCH_BENCHMARK_VERSION)},
      {"nlohmann_json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                            std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                            std::to_string(NLOHMANN_JSON_VERSION_PATCH)},
      {"cli11", text_or_null(GDBENCH_CLI11_VERSION)},
  };
}

}  // namespace gdbench::machine
