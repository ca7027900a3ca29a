// What a device can do, for scripts/gpu-check: copies in its memory, products by cuBLAS, and what a launch costs.
// Writes one JSON object; every figure is the best of several, by events and therefore without the host's time except
// launches. Products are of SIZE x SIZE, 4096 without it, and copies of as many bytes as 16 of their matrices of
// floats. (gdbench-device-ceilings [SIZE])
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "implementations/backends/cuda/blas.h"
#include "implementations/backends/cuda/errors.h"
#include "implementations/backends/cuda/launch.h"

namespace gdbench::backends::cuda {
namespace {

constexpr int kTries = 7;

// The least milliseconds that `work` takes on the stream.
double least_milliseconds(cudaStream_t stream, const std::function<void()>& work) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&start), "an event");
  check(cudaEventCreate(&end), "an event");
  float least = 1e30F;
  for (int i = 0; i < kTries; ++i) {
    check(cudaEventRecord(start, stream), "recording an event");
    work();
    check(cudaEventRecord(end, stream), "recording an event");
    check(cudaEventSynchronize(end), "waiting");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, end), "reading events");
    least = std::min(least, milliseconds);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return least;
}

// Read and written, in GB/s.
double copy_rate(cudaStream_t stream, std::size_t bytes) {
  void* from = nullptr;
  void* to = nullptr;
  check(cudaMalloc(&from, bytes), "memory to copy");
  check(cudaMalloc(&to, bytes), "memory to copy");
  const double milliseconds = least_milliseconds(
      stream, [&] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "a copy"); });
  cudaFree(from);
  cudaFree(to);
  return 2e-6 * static_cast<double>(bytes) / milliseconds;
}

// Numbers in [-1, 1), none like its neighbours: zeros take less power, and a device runs them at higher clocks. By the
// finaliser of MurmurHash3.
template <class T>
struct Fill {
  T* numbers;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    auto bits = static_cast<std::uint32_t>(i);
    bits = (bits ^ bits >> 16) * 0x85ebca6bU;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35U;
    bits ^= bits >> 16;
    numbers[i] = static_cast<T>(bits) * static_cast<T>(0x1p-31) - 1;
  }
};

// TFLOP/s of a product, whose leading dimensions and dtype are filled in here.
template <class T>
double product_rate(cudaStream_t stream, Blas& blas, Gemm gemm) {
  const std::int64_t sizes[] = {gemm.m * gemm.k, gemm.k * gemm.n, gemm.m * gemm.n, gemm.m};
  T* matrices[std::size(sizes)] = {};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(sizes[i]) * sizeof(T)), "a matrix");
    matrices[i] = static_cast<T*>(memory);
    launch_elements(stream, sizes[i], Fill<T>{matrices[i]});
    check(cudaGetLastError(), "filling a matrix");
  }
  gemm.lda = gemm.transpose_a ? gemm.k : gemm.m;
  gemm.ldb = gemm.transpose_b ? gemm.n : gemm.k;
  gemm.ldc = gemm.m;
  gemm.dtype = sizeof(T) == sizeof(float) ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
  const std::unique_ptr<BlasProduct> product = blas.bind(gemm);
  if (product == nullptr) check(cudaErrorUnknown, "a product by cuBLAS");
  const double milliseconds = least_milliseconds(stream, [&] {
    if (!product->run(matrices[0], matrices[1], matrices[2], matrices[3])) {
      check(cudaErrorUnknown, "a product by cuBLAS");
    }
  });
  for (T* matrix : matrices) cudaFree(matrix);
  return 2e-9 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k) / milliseconds;
}

// The products of a layer's step, which differ in what is transposed and in what the library does in addition.
void print_products_of_a_layer(cudaStream_t stream, Blas& blas, const char* dtype, std::int64_t size) {
  constexpr auto kNone = GemmEpilogue::none;
  const auto print = [&](const char* name, bool transpose_a, bool transpose_b, GemmEpilogue epilogue, const char* end) {
    const double rate = product_rate<float>(stream, blas,
                                            {.transpose_a = transpose_a,
                                             .transpose_b = transpose_b,
                                             .m = size,
                                             .n = size,
                                             .k = size,
                                             .epilogue = epilogue});
    std::printf("\"%s\": %.2f%s", name, rate, end);
  };
  std::printf("\"products_of_a_layer_%s_tflop_per_s\": {", dtype);
  print("outputs", false, false, kNone, ", ");
  print("outputs_with_bias_and_relu", false, false, GemmEpilogue::bias_relu, ", ");
  print("input_gradients", true, false, kNone, ", ");
  print("weight_gradients", false, true, kNone, ", ");
  print("weight_gradients_with_bias", false, true, GemmEpilogue::bias_gradient, "}, ");
}

struct Nothing {
  GDBENCH_HOST_DEVICE void operator()(std::int64_t /*i*/) const {}
};

// Microseconds from launch to launch of kernels that do nothing, by the wall clock.
double launch_cost(cudaStream_t stream) {
  constexpr int kLaunches = 1000;
  double least = 1e30;
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int launch = 0; launch < kLaunches; ++launch) launch_elements(stream, 1, Nothing{});
    check(cudaStreamSynchronize(stream), "waiting");
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;
    least = std::min(least, all.count() / kLaunches);
  }
  return least;
}

int run(std::int64_t size) {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "the first CUDA device");
  int clock_khz = 0;
  check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0), "its clock");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  std::string error;
  const std::unique_ptr<Blas> blas(Blas::open(stream, false, error));
  const std::unique_ptr<Blas> tf32(Blas::open(stream, true, error));
  if (blas == nullptr || tf32 == nullptr) {
    std::fprintf(stderr, "gdbench-device-ceilings: %s\n", error.c_str());
    return 1;
  }
  constexpr std::int64_t kInputs = 784;  // the products of a wide network on images of 28 by 28
  const auto copied_bytes = static_cast<std::size_t>(16 * size * size) * sizeof(float);
  std::printf(
      "{\"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, \"clock_mhz\": %d, "
      "\"copy_gb_per_s\": %.1f, \"product_size\": %lld, ",
      device.name, device.major, device.minor, device.multiProcessorCount, clock_khz / 1000,
      copy_rate(stream, copied_bytes), static_cast<long long>(size));
  print_products_of_a_layer(stream, *blas, "f32", size);
  print_products_of_a_layer(stream, *tf32, "tf32", size);
  std::printf(
      "\"product_f64_tflop_per_s\": %.2f, \"product_f32_of_784_columns_tflop_per_s\": %.2f, "
      "\"product_f32_of_784_rows_tflop_per_s\": %.2f, \"launch_us\": %.3f}\n",
      product_rate<double>(stream, *blas, {.m = size, .n = size, .k = size}),
      product_rate<float>(stream, *blas, {.m = size, .n = size, .k = kInputs}),
      product_rate<float>(stream, *blas, {.m = size, .n = kInputs, .k = size}), launch_cost(stream));
  return 0;
}

}  // namespace
}  // namespace gdbench::backends::cuda

int main(int argc, char** argv) {
  constexpr long long kSize = 4096;
  const long long size = argc > 1 ? std::atoll(argv[1]) : kSize;
  if (argc > 2 || size < 1 || size > 1 << 15) {
    std::fprintf(stderr, "usage: gdbench-device-ceilings [SIZE of products]\n");
    return 2;
  }
  try {
    return gdbench::backends::cuda::run(size);
  } catch (const gdbench::implementations::Failure& failure) {
    std::fprintf(stderr, "gdbench-device-ceilings: %s\n", failure.what());
    return 1;
  }
}
