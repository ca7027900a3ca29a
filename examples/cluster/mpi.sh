#!/usr/bin/env bash
# One part of a matrix for each rank, one rank for each node:
#   mpirun --map-by ppr:1:node --bind-to none examples/cluster/mpi.sh sizes --budget 40m
set -euo pipefail
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?neither Open MPI nor an MPICH}}
ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:?neither Open MPI nor an MPICH}}
exec "$(dirname "$0")/part" "$((rank + 1))/$ranks" "$@"
