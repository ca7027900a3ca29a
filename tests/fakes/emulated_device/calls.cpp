// What all calls have in common, and those that ask and set.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "gdbench/plugin.h"
#include "tests/fakes/emulated_device/device.h"

namespace emulated {
namespace {

EmulatedControl from_environment() {
  EmulatedControl control;
  if (const char* order = std::getenv("GDBENCH_EMULATED_ORDER")) control.order = order;
  const char* wanted = std::getenv("GDBENCH_EMULATED_FAILURE");
  if (wanted == nullptr) return control;
  const char* colon = std::strchr(wanted, ':');
  if (colon != nullptr) control.failure.call.assign(wanted, colon);
  char* end = nullptr;
  control.failure.number = std::strtoull(colon != nullptr ? colon + 1 : wanted, &end, 10);
  control.failure.lasting = *end == '+';
  return control;
}

bool allocates(const char* call) {
  return std::strcmp(call, "cudaMalloc") == 0 || std::strcmp(call, "cudaHostAlloc") == 0;
}

struct Text {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr Text kTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Text& text_of(cudaError_t error) {
  for (const Text& text : kTexts) {
    if (text.error == error) return text;
  }
  return kTexts[std::size(kTexts) - 1];
}

}  // namespace

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
  return allocates(call) && !lost ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

cudaError_t ended(cudaError_t error) {
  if (error != cudaSuccess) gdbench_emulated_control()->last_error = error;
  return error;
}

}  // namespace emulated

using emulated::called;

extern "C" GDBENCH_EXPORT EmulatedControl* gdbench_emulated_control() {
  static EmulatedControl control = emulated::from_environment();
  return &control;
}

const char* cudaGetErrorName(cudaError_t error) { return emulated::text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return emulated::text_of(error).text; }
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
    if (device != 0) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrClockRate:
        *value = 0;
        return cudaSuccess;
      case cudaDevAttrMultiProcessorCount:
        *value = emulated::kMultiprocessors;
        return cudaSuccess;
      case cudaDevAttrCooperativeLaunch:
        *value = gdbench_emulated_control()->cooperative ? 1 : 0;
        return cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = emulated::kSharedBytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute /*attribute*/, int value) {
  return called("cudaFuncSetAttribute", [&] {
    if (value < 0 || static_cast<std::size_t>(value) > emulated::kSharedBytes) return cudaErrorInvalidValue;
    emulated::device().allowed.insert(kernel);
    return cudaSuccess;
  });
}
