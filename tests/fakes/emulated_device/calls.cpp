// What all calls have in common, and those that ask and set.
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "gdbench/plugin.h"
#include "tests/fakes/emulated_device/device.h"

namespace emulated {

Device& device() {
  static Device one;
  return one;
}

cudaError_t failure_of(const char* call) {
  EmulatedControl& control = *gdbench_emulated_control();
  ++control.calls;
  EmulatedFailure& failure = control.failure;
  const bool lost = failure.lasting && !control.failed.empty();
  if (!lost) {
    if (failure.number == 0 || (!failure.call.empty() && failure.call != call)) return cudaSuccess;
    if (--failure.number > 0) return cudaSuccess;
  }
  control.failed.emplace_back(call);
  const bool allocates = std::strcmp(call, "cudaMalloc") == 0 || std::strcmp(call, "cudaHostAlloc") == 0;
  return allocates && !lost ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

cudaError_t ended(cudaError_t error) {
  if (error != cudaSuccess) gdbench_emulated_control()->last_error = error;
  return error;
}

}  // namespace emulated

using emulated::called;

extern "C" GDBENCH_EXPORT EmulatedControl* gdbench_emulated_control() {
  static EmulatedControl control = [] {
    EmulatedControl first;
    if (const char* order = std::getenv("GDBENCH_EMULATED_ORDER")) first.order = order;
    return first;
  }();
  return &control;
}

const char* cudaGetErrorName(cudaError_t error) {
  static std::map<cudaError_t, std::string> names;
  return (names[error] = "cudaError" + std::to_string(static_cast<int>(error))).c_str();
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(gdbench_emulated_control()->last_error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  gdbench_emulated_control()->last_error = cudaSuccess;
  return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return called("cudaGetDeviceCount", [&] {
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return called("cudaDriverGetVersion", [&] {
    *version = 13000;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return called("cudaSetDevice", [&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return called("cudaGetDeviceProperties", [&] {
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = {"an emulated device", 0, 0, emulated::kMultiprocessors};
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return called("cudaDeviceGetAttribute", [&] {
    const std::map<cudaDeviceAttr, int> values = {
        {cudaDevAttrClockRate, 0},
        {cudaDevAttrMultiProcessorCount, emulated::kMultiprocessors},
        {cudaDevAttrCooperativeLaunch, gdbench_emulated_control()->cooperative ? 1 : 0},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(emulated::kSharedBytes)}};
    if (device != 0) return cudaErrorInvalidDevice;
    *value = values.at(attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute /*attribute*/, int value) {
  return called("cudaFuncSetAttribute", [&] {
    if (value < 0 || static_cast<std::size_t>(value) > emulated::kSharedBytes) return cudaErrorInvalidValue;
    emulated::device().allowed.insert(kernel);
    return cudaSuccess;
  });
}
