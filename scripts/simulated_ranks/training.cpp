// A training by data-parallel ranks in SimGrid's SMPI (scripts/simulate-ranks): each step computes for so many seconds
// and adds up gradients through the transport that real ranks open. Prints the simulated seconds of a step.
//   training SECONDS BYTES STEPS
#include <mpi.h>
#include <smpi/smpi.h>

#include <cstdio>
#include <cstdlib>

#include "harness/ranks/transport.h"

extern "C" const gdbench::ranks::Transport* gdbench_rank_transport();

namespace {

constexpr double kHostSpeed = 1e9;  // operations a second, of every host of scripts/simulate-ranks

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double seconds = std::atof(argv[1]);
  // f64 would move as many bytes.
  const long long count = std::atoll(argv[2]) / static_cast<long long>(sizeof(float));
  const int steps = std::atoi(argv[3]);

  const gdbench::ranks::Transport* transport = gdbench_rank_transport();
  int rank = 0;
  int ranks = 0;
  if (transport->join(&rank, &ranks) != 0) return 1;
  // One page for all ranks: they live in one process, and the sums are not read.
  void* gradients = SMPI_SHARED_MALLOC(static_cast<std::size_t>(count) * sizeof(float));
  double begin = 0;
  for (int step = -1; step < steps; ++step) {  // the first one is a warm-up
    if (step == 0) begin = MPI_Wtime();
    smpi_execute_flops(seconds * kHostSpeed);
    if (transport->all_reduce(gradients, count, GDBENCH_F32) != 0) return 1;
  }
  if (rank == 0) std::printf("%.9g\n", (MPI_Wtime() - begin) / steps);
  SMPI_SHARED_FREE(gradients);
  return transport->leave();
}
