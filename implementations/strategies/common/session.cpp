#include "implementations/strategies/common/session.h"

#include "implementations/common/failure.h"

namespace gdbench::strategies {

Session::Session(const backends::Backend& backend, const gdbench_settings& settings) : backend_(backend) {
  check(backend_.create({settings.compute_threads, backend.tf32, this, remember_error, &settings}, &context_));
}

Session::~Session() {
  for (backends::Recording* recording : recordings_) backend_.device.discard(context_, recording);
  for (backends::Call* call : calls_) backend_.unbind(context_, call);
  for (void* memory : pinned_) backend_.device.release_pinned(context_, memory);
  for (const backends::Buffer buffer : buffers_) backend_.release(context_, buffer);
  backend_.destroy(context_);
}

template <class Kept, class Make>
Kept Session::keep(std::vector<Kept>& all, const Make& make) {
  all.reserve(all.size() + 1);
  Kept made = nullptr;
  check(make(&made));
  all.push_back(made);
  return made;
}

backends::Buffer Session::allocate(std::size_t bytes) {
  allocated_bytes_ += static_cast<std::int64_t>(bytes);
  return keep(buffers_, [&](backends::Buffer* made) { return backend_.allocate(context_, bytes, made); });
}

backends::Buffer Session::import_host(const void* data, std::size_t bytes) {
  allocated_bytes_ += static_cast<std::int64_t>(bytes);
  return keep(buffers_, [&](backends::Buffer* made) { return backend_.import_host(context_, data, bytes, made); });
}

std::byte* Session::allocate_pinned(std::size_t bytes) {
  if (backend_.device.allocate_pinned == nullptr) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, std::string(backend_.name) + " has no page-locked memory");
  }
  return static_cast<std::byte*>(
      keep(pinned_, [&](void** made) { return backend_.device.allocate_pinned(context_, bytes, made); }));
}

const backends::Call* Session::bind(const backends::Request& request) {
  return keep(calls_, [&](backends::Call** made) { return backend_.bind(context_, request, made); });
}

backends::RegionCall* Session::bind_region(const backends::TrainingRegion& region) {
  if (backend_.regions.bind == nullptr) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, std::string(backend_.name) + " has no training regions");
  }
  backends::RegionCall* call = nullptr;
  keep(calls_, [&](backends::Call** made) {
    const gdbench_status status = backend_.regions.bind(context_, region, &call);
    *made = call;
    return status;
  });
  return call;
}

double Session::span_ns() {
  double nanoseconds = 0;
  check(backend_.device.span_ns(context_, &nanoseconds));
  return nanoseconds;
}

bool Session::end_marks(std::span<double> nanoseconds) {
  bool held = false;
  check(backend_.device.end_marks(context_, nanoseconds.data(), nanoseconds.size(), &held));
  return held;
}

void Session::begin_recording() { check(backend_.device.begin_recording(context_)); }

const backends::Recording* Session::end_recording() {
  return keep(recordings_, [&](backends::Recording** made) { return backend_.device.end_recording(context_, made); });
}

void Session::upload(backends::Buffer buffer, const void* data, std::size_t bytes) {
  backend_.upload(context_, buffer, data, bytes, nullptr);
  synchronise();
}

void Session::download(backends::Buffer buffer, void* data, std::size_t bytes) {
  backend_.download(context_, buffer, data, bytes, nullptr);
  synchronise();
}

void Session::synchronise() { check(backend_.synchronise(context_, nullptr)); }

void Session::check(gdbench_status status) {
  if (status == GDBENCH_OK) return;
  throw implementations::Failure(status, error_.empty() ? std::string(backend_.name) + " failed" : error_);
}

void Session::remember_error(void* session, const char* message) { static_cast<Session*>(session)->error_ = message; }

}  // namespace gdbench::strategies
