# Compiles for 64-bit Arm on another processor: Debian's cross compiler, with headers and libraries of the arm64 root
# that scripts/setup --aarch64 makes. What a build runs of its own products is run by QEMU, through binfmt_misc.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Compiler wrappers of MPI that run here would name this machine's headers: without +mpi.
set(GDBENCH_openmpi_COMPILER "" CACHE FILEPATH "not used for aarch64")
set(GDBENCH_mpich_COMPILER "" CACHE FILEPATH "not used for aarch64")
