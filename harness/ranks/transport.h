// How ranks exchange values: what a library below harness/ranks/mpi exports. It is opened by the processes of ranks
// alone, so that nothing else links MPI and several implementations of it live side by side.
#pragma once

#include <cstdint>

#include "gdbench/plugin.h"

namespace gdbench::ranks {

// Every function returns 0, or another number after which last_error says why.
struct Transport {
  // Collective: waits for all ranks that the launcher started.
  int (*join)(std::int32_t* rank, std::int32_t* count);
  int (*leave)();
  int (*barrier)();
  // As gdbench_ranks has them, of GDBENCH_F32 or GDBENCH_F64.
  int (*all_reduce)(void* values, std::int64_t count, std::int32_t dtype);
  int (*begin_all_reduce)(void* values, std::int64_t count, std::int32_t dtype);
  int (*finish_all_reduces)();
  // One line: which library in which version. Before join, too.
  const char* (*version)();
  const char* (*last_error)();
};

constexpr const char* kTransportName = "gdbench_rank_transport";
using TransportFunction = const Transport* (*)();

}  // namespace gdbench::ranks
