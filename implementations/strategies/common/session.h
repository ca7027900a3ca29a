// One strategy's use of a backend: the context, its buffers and calls. Turns a backend's statuses into Failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "implementations/backends/common/backend.h"

namespace gdbench::strategies {

class Session {
 public:
  Session(const backends::Backend& backend, const gdbench_settings& settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // All live until the session ends. allocate's memory is zero.
  backends::Buffer allocate(std::size_t bytes);
  template <class Entry>
  backends::Buffer allocate_filled(const std::vector<Entry>& entries) {
    const backends::Buffer buffer = allocate(entries.size() * sizeof(Entry));
    upload(buffer, entries.data(), entries.size() * sizeof(Entry));
    return buffer;
  }
  // Host memory, zero, whose pages are locked, so that a device reads them by itself: what is uploaded from it must be
  // left alone until synchronise. Throws Failure where the backend has none.
  std::byte* allocate_pinned(std::size_t bytes);
  backends::Buffer import_host(const void* data, std::size_t bytes);
  const backends::Call* bind(const backends::Request& request);
  // Throws Failure where the backend has no regions, or refuses this one.
  backends::RegionCall* bind_region(const backends::TrainingRegion& region);

  // As backends::Backend has it.
  const char* runtime() const { return backend_.runtime == nullptr ? nullptr : backend_.runtime(context_); }

  catalogue::ParameterRounding parameter_rounding() const { return backend_.parameter_rounding; }
  // Whether a buffer is a host address.
  bool host_memory() const { return (backend_.flags & backends::kDevice) == 0; }
  backends::Buffer slice(backends::Buffer buffer, std::size_t offset) const { return backend_.slice(buffer, offset); }
  // Whether the backend has a clock of its own; then as backends::DeviceFunctions has it.
  bool has_clock() const { return backend_.device.begin_span != nullptr; }
  void begin_span() { check(backend_.device.begin_span(context_)); }
  void end_span() { check(backend_.device.end_span(context_)); }
  double span_ns();
  void begin_marks() { check(backend_.device.begin_marks(context_)); }
  void mark() { check(backend_.device.mark(context_)); }
  // Fills in the time before each mark; returns whether the device was held back for long enough.
  bool end_marks(std::span<double> nanoseconds);

  // Of the backend's memory, all that was allocated so far: nothing is given back before the session ends.
  std::int64_t allocated_bytes() const { return allocated_bytes_; }

  // Whether calls can be recorded and replayed.
  bool records() const { return backend_.device.begin_recording != nullptr; }
  // As backends::LossScalingFunctions has them; for dtypes that scale the loss.
  void set_loss_scale(float scale) { backend_.loss_scaling.set(context_, scale); }
  bool unscale(backends::Buffer values, std::int64_t count) {
    return backend_.loss_scaling.unscale(context_, values, count);
  }

  // Between the two, calls are recorded instead of done. The recording lives until the session ends.
  void begin_recording();
  const backends::Recording* end_recording();
  void replay(const backends::Recording* recording) { backend_.device.replay(context_, recording); }

  // Returns when `data` may be changed again; calls that follow find it in place.
  void enqueue_upload(backends::Buffer buffer, const void* data, std::size_t bytes) {
    backend_.upload(context_, buffer, data, bytes, nullptr);
  }
  // Both return when the copy is done.
  void upload(backends::Buffer buffer, const void* data, std::size_t bytes);
  void download(backends::Buffer buffer, void* data, std::size_t bytes);
  void synchronise();

 private:
  void check(gdbench_status status);
  // What `make` writes, as an entry of what is given back when the session ends.
  template <class Kept, class Make>
  Kept keep(std::vector<Kept>& all, const Make& make);
  static void remember_error(void* session, const char* message);

  const backends::Backend& backend_;
  backends::Context* context_ = nullptr;
  std::string error_;
  std::vector<backends::Buffer> buffers_;
  std::vector<backends::Call*> calls_;
  std::vector<backends::Recording*> recordings_;
  std::vector<void*> pinned_;
  std::int64_t allocated_bytes_ = 0;
};

}  // namespace gdbench::strategies
