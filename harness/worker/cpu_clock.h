// CPU time of this process and its threads, in nanoseconds.
//
// Linux books the time of a thread that runs on another processor when its clock ticks, milliseconds apart, or when
// somebody reads that thread's own clock. So each is read first, which takes a microsecond or two a thread.
#pragma once

namespace gdbench::worker {

// Of the calling thread.
double thread_cpu_ns();

// Of all other threads, ended ones too.
double other_threads_cpu_ns();

// How long the calling thread has been ready to run while others had its processor; 0 where the kernel does not tell.
double thread_waiting_ns();

}  // namespace gdbench::worker
