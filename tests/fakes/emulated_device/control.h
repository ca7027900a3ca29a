// What tests tell the emulated device, and what it tells them. A kernel library that is built on it exports
// kEmulatedControlName.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Which of the runtime's calls that follow fails, counted from 1: those of a name, or all of them. A cudaMalloc that
// fails is out of memory, other calls have an unknown error. A call that frees something still does so: it fails
// with an error of the work before it, as the runtime's do.
struct EmulatedFailure {
  std::string call = {};
  std::uint64_t number = 0;  // 0: none
  bool lasting = false;      // all calls after it fail, too: the device is lost
};

struct EmulatedControl {
  EmulatedFailure failure = {};
  std::string order = "ordered";         // see EmulatedOrder
  bool cooperative = true;               // whether there are launches whose blocks can wait for each other
  std::vector<std::string> failed = {};  // the calls that failed because of it
  std::uint64_t calls = 0;               // of the runtime so far, except for those that ask for errors
  int last_error = 0;                    // what cudaPeekAtLastError returns
  // Calls with a stream, an event, a graph or an address that there is not, or not any more.
  std::uint64_t misuses = 0;
  // Alive.
  std::int64_t device_allocations = 0;
  std::int64_t host_allocations = 0;
  std::int64_t streams = 0;
  std::int64_t events = 0;
  std::int64_t graphs = 0;  // and executable ones
};

inline constexpr const char* kEmulatedControlName = "gdbench_emulated_control";
extern "C" EmulatedControl* gdbench_emulated_control();
