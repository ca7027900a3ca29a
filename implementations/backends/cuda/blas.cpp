#include "implementations/backends/cuda/blas.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "implementations/backends/cuda/cublas_library.h"
#include "implementations/backends/cuda/errors.h"

namespace gdbench::backends::cuda {
namespace {

// What cuBLAS's header says of the sizes that products of Hopper's want; smaller devices want less.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
// Algorithms that are timed, and how often each runs.
constexpr int kProposals = 8;
constexpr int kTries = 3;
// Of addresses; below it, algorithms for any address of an entry.
constexpr std::uint32_t kAlignment = 16;

cublasLtEpilogue_t epilogue_of(GemmEpilogue epilogue) {
  switch (epilogue) {
    case GemmEpilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case GemmEpilogue::relu:
      return CUBLASLT_EPILOGUE_RELU;
    case GemmEpilogue::bias_relu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case GemmEpilogue::bias_gradient:
      return CUBLASLT_EPILOGUE_BGRADA;
    case GemmEpilogue::none:
      break;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

// What all products of a Blas share.
struct Shared {
  CublasLibrary library;
  cublasLtHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  bool tf32 = false;
};

class LtProduct final : public BlasProduct {
 public:
  LtProduct(const Shared& shared, const Gemm& gemm)
      : shared_(shared), gemm_(gemm), f32_(gemm.dtype != catalogue::Dtype::f64) {}

  // Whether the library has such a product.
  bool prepare() {
    if (!describe()) return false;
    const std::vector<cublasLtMatmulAlgo_t> any = propose(static_cast<std::uint32_t>(catalogue::size_of(gemm_.dtype)));
    if (any.empty()) return false;
    for_any_address_ = any.front();
    const std::vector<cublasLtMatmulAlgo_t> aligned = propose(kAlignment);
    for_aligned_ = aligned.empty() ? for_any_address_ : fastest_of(aligned);
    return true;
  }

  bool run(const void* a, const void* b, void* c, void* bias) const override {
    const bool with_bias = takes_bias();
    if (with_bias && !set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)) return false;
    const bool aligned = std::ranges::all_of(
        std::array<const void*, 4>{a, b, c, with_bias ? bias : a},
        [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0; });
    return launch(aligned ? for_aligned_ : for_any_address_, a, b, c);
  }

 private:
  bool takes_bias() const { return gemm_.epilogue != GemmEpilogue::none && gemm_.epilogue != GemmEpilogue::relu; }

  template <class Value>
  bool set(cublasLtMatmulDescAttributes_t attribute, const Value& value) const {
    return shared_.library.cublasLtMatmulDescSetAttribute(product_.get(), attribute, &value, sizeof(value)) ==
           CUBLAS_STATUS_SUCCESS;
  }

  bool describe() {
    const CublasLibrary& library = shared_.library;
    const cudaDataType_t type = f32_ ? CUDA_R_32F : CUDA_R_64F;
    const cudaDataType_t multiplied = gemm_.dtype == catalogue::Dtype::bf16  ? CUDA_R_16BF
                                      : gemm_.dtype == catalogue::Dtype::f16 ? CUDA_R_16F
                                                                             : type;
    const cublasComputeType_t computed = !f32_          ? CUBLAS_COMPUTE_64F
                                         : shared_.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                        : CUBLAS_COMPUTE_32F;
    const auto layout = [&](Described<cublasLtMatrixLayout_t>& matrix, cudaDataType_t of, std::int64_t rows,
                            std::int64_t columns, std::int64_t leading) {
      return matrix.make(library.cublasLtMatrixLayoutDestroy, [&](cublasLtMatrixLayout_t* made) {
        return library.cublasLtMatrixLayoutCreate(made, of, static_cast<std::uint64_t>(rows),
                                                  static_cast<std::uint64_t>(columns), leading);
      });
    };
    const auto operation = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
    return product_.make(
               library.cublasLtMatmulDescDestroy,
               [&](cublasLtMatmulDesc_t* made) { return library.cublasLtMatmulDescCreate(made, computed, type); }) &&
           set(CUBLASLT_MATMUL_DESC_TRANSA, operation(gemm_.transpose_a)) &&
           set(CUBLASLT_MATMUL_DESC_TRANSB, operation(gemm_.transpose_b)) &&
           set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(gemm_.epilogue)) &&
           layout(a_, multiplied, gemm_.transpose_a ? gemm_.k : gemm_.m, gemm_.transpose_a ? gemm_.m : gemm_.k,
                  gemm_.lda) &&
           layout(b_, multiplied, gemm_.transpose_b ? gemm_.n : gemm_.k, gemm_.transpose_b ? gemm_.k : gemm_.n,
                  gemm_.ldb) &&
           layout(c_, type, gemm_.m, gemm_.n, gemm_.ldc) &&
           // Any address: the library looks at it when it proposes algorithms.
           (!takes_bias() || set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, shared_.workspace));
  }

  // The best by the library's own estimate first.
  std::vector<cublasLtMatmulAlgo_t> propose(std::uint32_t alignment) const {
    const CublasLibrary& library = shared_.library;
    Described<cublasLtMatmulPreference_t> preference;
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      return library.cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof(value)) ==
             CUBLAS_STATUS_SUCCESS;
    };
    const bool prepared =
        preference.make(library.cublasLtMatmulPreferenceDestroy, library.cublasLtMatmulPreferenceCreate) &&
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes) &&
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment) &&
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment) &&
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment) &&
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment);
    std::array<cublasLtMatmulHeuristicResult_t, kProposals> proposals{};
    int found = 0;
    if (!prepared || library.cublasLtMatmulAlgoGetHeuristic(shared_.handle, product_.get(), a_.get(), b_.get(),
                                                            c_.get(), c_.get(), preference.get(), kProposals,
                                                            proposals.data(), &found) != CUBLAS_STATUS_SUCCESS) {
      return {};
    }
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (int i = 0; i < found; ++i) {
      const auto& proposal = proposals[static_cast<std::size_t>(i)];
      if (proposal.state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(proposal.algo);
    }
    return algorithms;
  }

  bool launch(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, void* c) const {
    const auto alpha = static_cast<float>(gemm_.alpha);
    const auto beta = static_cast<float>(gemm_.beta);
    const void* factors[2] = {f32_ ? static_cast<const void*>(&alpha) : &gemm_.alpha,
                              f32_ ? static_cast<const void*>(&beta) : &gemm_.beta};
    return shared_.library.cublasLtMatmul(shared_.handle, product_.get(), factors[0], a, a_.get(), b, b_.get(),
                                          factors[1], c, c_.get(), c, c_.get(), &algorithm, shared_.workspace,
                                          kWorkspaceBytes, shared_.stream) == CUBLAS_STATUS_SUCCESS;
  }

  cublasLtMatmulAlgo_t fastest_of(const std::vector<cublasLtMatmulAlgo_t>& algorithms) const;

  const Shared& shared_;
  Gemm gemm_;
  bool f32_;  // what is added up, and C
  Described<cublasLtMatmulDesc_t> product_;
  Described<cublasLtMatrixLayout_t> a_;
  Described<cublasLtMatrixLayout_t> b_;
  Described<cublasLtMatrixLayout_t> c_;
  cublasLtMatmulAlgo_t for_any_address_{};
  cublasLtMatmulAlgo_t for_aligned_{};
};

// Operands to time algorithms on, and a clock.
class Trial {
 public:
  Trial(const Gemm& gemm, cudaStream_t stream) : stream_(stream) {
    const std::size_t entry = catalogue::size_of(gemm.dtype);
    const std::int64_t entries[] = {gemm.m * gemm.k, gemm.k * gemm.n, gemm.m * gemm.n, gemm.m};
    for (std::size_t i = 0; i < operands.size() && ready_; ++i) {
      const std::size_t bytes = entry * static_cast<std::size_t>(entries[i]);
      // Small numbers of any type, none of them zero.
      ready_ = cudaMalloc(&operands[i], bytes) == cudaSuccess &&
               cudaMemsetAsync(operands[i], 0x3c, bytes, stream) == cudaSuccess;
    }
    for (cudaEvent_t& event : events_) ready_ = ready_ && cudaEventCreate(&event) == cudaSuccess;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    cudaStreamSynchronize(stream_);
    for (void* operand : operands) cudaFree(operand);
    for (const cudaEvent_t event : events_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
    cudaGetLastError();  // a trial that fails leaves the library's own choice
  }

  bool ready() const { return ready_; }
  // The least of a few; -1 where it fails.
  template <class Run>
  float milliseconds(const Run& run) const {
    float least = -1;
    for (int i = 0; i <= kTries; ++i) {
      float taken = 0;
      const bool done = cudaEventRecord(events_[0], stream_) == cudaSuccess && run() &&
                        cudaEventRecord(events_[1], stream_) == cudaSuccess &&
                        cudaEventSynchronize(events_[1]) == cudaSuccess &&
                        cudaEventElapsedTime(&taken, events_[0], events_[1]) == cudaSuccess;
      if (!done) return -1;
      if (i > 0) least = least < 0 ? taken : std::min(least, taken);  // the first one warms up
    }
    return least;
  }

  std::array<void*, 4> operands{};  // A, B, C, bias

 private:
  cudaStream_t stream_;
  std::array<cudaEvent_t, 2> events_{};
  bool ready_ = true;
};

cublasLtMatmulAlgo_t LtProduct::fastest_of(const std::vector<cublasLtMatmulAlgo_t>& algorithms) const {
  if (algorithms.size() == 1) return algorithms.front();
  const Trial trial(gemm_, shared_.stream);
  if (!trial.ready() || (takes_bias() && !set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, trial.operands[3]))) {
    return algorithms.front();
  }
  cublasLtMatmulAlgo_t fastest = algorithms.front();
  float least = -1;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    const float taken =
        trial.milliseconds([&] { return launch(algorithm, trial.operands[0], trial.operands[1], trial.operands[2]); });
    if (taken < 0 || (least >= 0 && taken >= least)) continue;
    least = taken;
    fastest = algorithm;
  }
  return fastest;
}

class LtBlas final : public Blas {
 public:
  LtBlas(const CublasLibrary& library, cudaStream_t stream, bool tf32)
      : shared_{library, nullptr, stream, nullptr, tf32} {}
  LtBlas(const LtBlas&) = delete;
  LtBlas& operator=(const LtBlas&) = delete;
  ~LtBlas() override {
    if (shared_.handle != nullptr) shared_.library.cublasLtDestroy(shared_.handle);
    if (shared_.workspace != nullptr) discard_error(cudaFree(shared_.workspace));
    discard_error(cudaPeekAtLastError());  // of calls that cuBLAS made
  }

  // What is wrong, if anything is.
  std::string start() {
    const cublasStatus_t status = shared_.library.cublasLtCreate(&shared_.handle);
    if (status != CUBLAS_STATUS_SUCCESS) {
      return std::string("cuBLAS does not start on this device: ") + shared_.library.cublasLtGetStatusName(status);
    }
    const cudaError_t error = cudaMalloc(&shared_.workspace, kWorkspaceBytes);
    return error == cudaSuccess ? "" : described(error, "cuBLAS's workspace");
  }

  std::unique_ptr<BlasProduct> bind(const Gemm& gemm) override {
    auto product = std::make_unique<LtProduct>(shared_, gemm);
    if (!product->prepare()) return nullptr;
    return product;
  }

 private:
  Shared shared_;
};

}  // namespace

Blas* Blas::open(cudaStream_t stream, bool tf32, std::string& error) {
  CublasLibrary library;
  if (!open_library(library, error)) return nullptr;
  auto blas = std::make_unique<LtBlas>(library, stream, tf32);
  error = blas->start();
  return error.empty() ? blas.release() : nullptr;
}

}  // namespace gdbench::backends::cuda
