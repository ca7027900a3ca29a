// What a worker arranges for the threads of OpenMP, before a plugin brings them along.
#pragma once

namespace gdbench::worker {

// Threads of GNU's OpenMP spin for milliseconds after their work, beyond the end of a block; without spinning, waking
// them takes longer than many an operation. From now on a pool that is loaded spins for a moment and sleeps then.
// GOMP_SPINCOUNT or OMP_WAIT_POLICY, where set for the whole run, take precedence.
void limit_spinning_of_thread_pools();

}  // namespace gdbench::worker
