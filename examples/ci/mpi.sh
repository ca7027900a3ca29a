#!/usr/bin/env bash
# The same with mpirun, one process per node: mpirun --map-by ppr:1:node examples/ci/mpi.sh
set -euo pipefail
part=$((${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?neither Open MPI nor an MPICH}} + 1))
parts=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:?neither Open MPI nor an MPICH}}
exec build/release/bin/gdbench run sizes --shard "$part/$parts" --budget 40m --resume --out "part$part.json"
