// One strategy's use of a backend: the context, and the buffers and calls that live in it. Turns a backend's statuses
// into Failures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "implementations/kernels/kernels.h"

namespace gdbench::strategies {

class Session {
 public:
  Session(const kernels::Backend& backend, std::int32_t compute_threads);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // All live until the session ends. allocate's memory is zero.
  kernels::Buffer allocate(std::size_t bytes);
  kernels::Buffer import_host(const void* data, std::size_t bytes);
  const kernels::Call* bind(const kernels::Request& request);

  // Whether a buffer is a host address.
  bool host_memory() const { return (backend_.flags & kernels::kDevice) == 0; }
  kernels::Buffer slice(kernels::Buffer buffer, std::size_t offset) const { return backend_.slice(buffer, offset); }
  // Both return when the copy is done.
  void upload(kernels::Buffer buffer, const void* data, std::size_t bytes);
  void download(kernels::Buffer buffer, void* data, std::size_t bytes);
  void synchronise();

 private:
  void check(gdbench_status status);
  static void remember_error(void* session, const char* message);

  const kernels::Backend& backend_;
  kernels::Context* context_ = nullptr;
  std::string error_;
  std::vector<kernels::Buffer> buffers_;
  std::vector<kernels::Call*> calls_;
};

}  // namespace gdbench::strategies
