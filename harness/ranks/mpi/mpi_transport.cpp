// Ranks that exchange values by MPI: one source for every implementation of it. Called from one thread.
#include <mpi.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "harness/ranks/transport.h"

namespace {

std::string error_text;
std::vector<MPI_Request> begun;

int checked(int status) {
  if (status == MPI_SUCCESS) return 0;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  error_text.assign(text, static_cast<std::size_t>(length));
  return 1;
}

MPI_Datatype type_of(std::int32_t dtype) { return dtype == GDBENCH_F64 ? MPI_DOUBLE : MPI_FLOAT; }

// Calls reduce(values, count) for parts whose number of values MPI can express.
template <class Reduce>
int in_parts(void* values, std::int64_t count, std::int32_t dtype, const Reduce& reduce) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const std::int64_t element = dtype == GDBENCH_F64 ? sizeof(double) : sizeof(float);
  for (std::int64_t first = 0; first < count; first += kMost) {
    const auto part = static_cast<int>(std::min(kMost, count - first));
    if (reduce(static_cast<char*>(values) + first * element, part) != 0) return 1;
  }
  return 0;
}

int join(std::int32_t* rank, std::int32_t* count) {
  int provided = 0;
  if (checked(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided)) != 0) return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (checked(MPI_Comm_rank(MPI_COMM_WORLD, rank)) != 0) return 1;
  return checked(MPI_Comm_size(MPI_COMM_WORLD, count));
}

int leave() { return checked(MPI_Finalize()); }

int barrier() { return checked(MPI_Barrier(MPI_COMM_WORLD)); }

int all_reduce(void* values, std::int64_t count, std::int32_t dtype) {
  return in_parts(values, count, dtype, [&](void* part, int entries) {
    return checked(MPI_Allreduce(MPI_IN_PLACE, part, entries, type_of(dtype), MPI_SUM, MPI_COMM_WORLD));
  });
}

int begin_all_reduce(void* values, std::int64_t count, std::int32_t dtype) {
  const int failed = in_parts(values, count, dtype, [&](void* part, int entries) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int status =
        checked(MPI_Iallreduce(MPI_IN_PLACE, part, entries, type_of(dtype), MPI_SUM, MPI_COMM_WORLD, &request));
    if (status == 0) begun.push_back(request);
    return status;
  });
  if (failed != 0) return failed;
  // What was begun before goes on only while the library is called.
  int done = 0;
  return checked(MPI_Testall(static_cast<int>(begun.size()), begun.data(), &done, MPI_STATUSES_IGNORE));
}

int finish_all_reduces() {
  const int status = checked(MPI_Waitall(static_cast<int>(begun.size()), begun.data(), MPI_STATUSES_IGNORE));
  begun.clear();
  return status;
}

// Up to the first comma or the end of the first line: what follows are build options.
const char* version() {
  static const std::string text = [] {
    char line[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(line, &length);
    std::string words(line, static_cast<std::size_t>(length));
    words.resize(std::min(words.find_first_of(",\n"), words.size()));
    std::replace(words.begin(), words.end(), '\t', ' ');
    return words;
  }();
  return text.c_str();
}

const char* last_error() { return error_text.c_str(); }

constexpr gdbench::ranks::Transport kTransport = {.join = join,
                                                  .leave = leave,
                                                  .barrier = barrier,
                                                  .all_reduce = all_reduce,
                                                  .begin_all_reduce = begin_all_reduce,
                                                  .finish_all_reduces = finish_all_reduces,
                                                  .version = version,
                                                  .last_error = last_error};

}  // namespace

extern "C" GDBENCH_EXPORT const gdbench::ranks::Transport* gdbench_rank_transport() { return &kTransport; }
