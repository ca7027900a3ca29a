#include <cstdio>
#include <cstring>

#include "app/commands.h"
#include "app/invocation.h"
#include "harness/ranks/library.h"
#include "harness/worker/serve.h"

namespace gdbench::app {

int worker_main(int argc, char** argv) {
  if (argc > 3 && std::strcmp(argv[2], "--adapter") == 0) return worker::serve({"", {}, {argv + 3, argv + argc}}, "");
  if (argc != 4 || std::strcmp(argv[2], "--plugin") != 0) {
    std::fprintf(stderr, "gdbench: usage: gdbench worker --plugin FILE (started by gdbench itself)\n");
    return kUsage;
  }
  return worker::serve({argv[3], ranks::find_libraries(this_build().plugin_folders), {}}, build_name());
}

int rank_main(int argc, char** argv) {
  if (argc != 5 || std::strcmp(argv[2], "--plugin") != 0) {
    std::fprintf(stderr, "gdbench: usage: gdbench rank --plugin FILE SOCKET (started by a worker itself)\n");
    return kUsage;
  }
  return worker::serve_rank(argv[3], argv[4]);
}

}  // namespace gdbench::app
