// Functions of one entry that every backend may call, on a host or in a kernel of a device.
#pragma once

#ifdef __CUDACC__
#define GDBENCH_HOST_DEVICE __host__ __device__
#else
#define GDBENCH_HOST_DEVICE
#endif
