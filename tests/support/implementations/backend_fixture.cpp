#include "tests/support/implementations/backend_fixture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "tests/support/implementations/allocation_counter.h"

namespace gdbench::backends {

bool is_device(const std::string& name) { return (backend_named(name).flags & kDevice) != 0; }

std::string plugin_folder(const std::string& name) {
  const bool emulated = name.starts_with("emulated");
  const char* carried = std::getenv("GDBENCH_BUILD_DIRECTORY");  // by scripts/gpu-check, to where it was not built
  const std::string build = carried != nullptr ? carried : GDBENCH_BINARY_DIR;
  return build + (emulated ? "/tests/fakes/emulated" : "/lib/gdbench");
}

std::string why_allocations_are_not_counted(const std::string& backend) {
  if (!allocations_are_counted()) return "a sanitizer owns malloc";
  if (backend == "onednn") return "oneDNN allocates its table of arguments at every execution";
  if (backend == "blas") return "OpenBLAS allocates in some products where the processor has AVX-512";
  return is_device(backend) ? "a device's runtime allocates as it likes" : "";
}

const Backend& backend_named(const std::string& name) {
  static std::map<std::string, const Backend*> opened;
  const Backend*& backend = opened[name];
  if (backend == nullptr) {
    std::string error;
    backend = open_kernel_library(name, plugin_folder(name) + "/kernels", error);
    if (backend == nullptr) throw std::runtime_error(error);
  }
  return *backend;
}

Dense random_matrix(std::mt19937& generator, std::int64_t rows, std::int64_t columns) {
  std::normal_distribution<double> normal;
  Dense matrix(rows, columns);
  for (double& value : matrix.values) value = static_cast<double>(static_cast<float>(normal(generator)));
  return matrix;
}

const gdbench_optimizer& plain_sgd() {
  static const gdbench_optimizer sgd = [] {
    gdbench_optimizer optimizer{};
    optimizer.struct_size = sizeof(optimizer);
    optimizer.kind = GDBENCH_SGD;
    return optimizer;
  }();
  return sgd;
}

gdbench_settings settings_for(std::int32_t compute_threads) {
  gdbench_settings settings{};
  settings.struct_size = sizeof(settings);
  settings.compute_threads = compute_threads;
  return settings;
}

TestContext::TestContext(const Backend& backend, catalogue::Dtype dtype, const gdbench_settings& settings)
    : backend_(backend), dtype_(dtype) {
  const auto keep_error = [](void* self, const char* message) { static_cast<TestContext*>(self)->error_ = message; };
  if (backend.create({settings.compute_threads, false, this, keep_error, &settings}, &context_) != GDBENCH_OK) {
    throw std::runtime_error(error_);
  }
}

void TestContext::release_buffers() {
  for (const Buffer buffer : buffers_) backend_.release(context_, buffer);
  buffers_.clear();
}

TestContext::~TestContext() { backend_.destroy(context_); }

Buffer TestContext::upload_bytes(const void* data, std::size_t bytes) {
  Buffer buffer = nullptr;
  if (backend_.allocate(context_, bytes, &buffer) != GDBENCH_OK) throw std::runtime_error(error_);
  buffers_.push_back(buffer);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % GDBENCH_ALIGNMENT, 0u);
  backend_.upload(context_, buffer, data, bytes, nullptr);
  return buffer;
}

Buffer TestContext::upload(const Dense& matrix) {
  const std::vector<double> zeros(matrix.values.size());
  const Buffer buffer =
      upload_bytes(zeros.data(), zeros.size() * (dtype_ == catalogue::Dtype::f64 ? sizeof(double) : sizeof(float)));
  overwrite(buffer, matrix);
  return buffer;
}

void TestContext::overwrite_bytes(Buffer buffer, const void* data, std::size_t bytes) {
  backend_.upload(context_, buffer, data, bytes, nullptr);
}

void TestContext::overwrite(Buffer buffer, const Dense& matrix) {
  if (dtype_ == catalogue::Dtype::f64) {
    backend_.upload(context_, buffer, matrix.values.data(), matrix.values.size() * sizeof(double), nullptr);
    return;
  }
  const std::vector<float> narrow(matrix.values.begin(), matrix.values.end());
  backend_.upload(context_, buffer, narrow.data(), narrow.size() * sizeof(float), nullptr);
}

Dense TestContext::download(Buffer buffer, std::int64_t rows, std::int64_t columns) {
  Dense matrix(rows, columns);
  if (dtype_ == catalogue::Dtype::f64) {
    backend_.download(context_, buffer, matrix.values.data(), matrix.values.size() * sizeof(double), nullptr);
    EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
    return matrix;
  }
  std::vector<float> narrow(matrix.values.size());
  backend_.download(context_, buffer, narrow.data(), narrow.size() * sizeof(float), nullptr);
  EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
  matrix.values.assign(narrow.begin(), narrow.end());
  return matrix;
}

double TestContext::download_double(Buffer buffer) {
  double value = 0;
  backend_.download(context_, buffer, &value, sizeof(value), nullptr);
  EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
  return value;
}

void TestContext::run(const Request& request, const std::vector<Buffer>& buffers) {
  Call* call = nullptr;
  ASSERT_EQ(backend_.bind(context_, request, &call), GDBENCH_OK) << error_;
  call->run(call, buffers.data(), nullptr);
  EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
  backend_.unbind(context_, call);
}

Call* TestContext::bind(const Request& request) {
  Call* call = nullptr;
  return backend_.bind(context_, request, &call) == GDBENCH_OK ? call : nullptr;
}

gdbench_status TestContext::bind_status(const Request& request) {
  Call* call = nullptr;
  const gdbench_status status = backend_.bind(context_, request, &call);
  if (call != nullptr) backend_.unbind(context_, call);
  return status;
}

double activate(catalogue::Activation activation, double z) {
  switch (activation) {
    case catalogue::Activation::identity:
      break;
    case catalogue::Activation::relu:
      return std::max(z, 0.0);
    case catalogue::Activation::tanh:
      return std::tanh(z);
    case catalogue::Activation::sigmoid:
      return 1 / (1 + std::exp(-z));
    case catalogue::Activation::leaky_relu:
      return z > 0 ? z : z / 100;
    case catalogue::Activation::silu:
      return z / (1 + std::exp(-z));
    case catalogue::Activation::gelu:
      return z * (1 + std::erf(z / std::numbers::sqrt2)) / 2;
    case catalogue::Activation::gelu_tanh:
      return z * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (z + 0.044715 * z * z * z))) / 2;
  }
  return z;
}

double activation_slope(catalogue::Activation activation, double told) {
  switch (activation) {
    case catalogue::Activation::identity:
      break;
    case catalogue::Activation::relu:
      return told > 0 ? 1 : 0;
    case catalogue::Activation::tanh:
      return 1 - told * told;
    case catalogue::Activation::sigmoid:
      return told * (1 - told);
    case catalogue::Activation::leaky_relu:
      return told > 0 ? 1 : 0.01;
    case catalogue::Activation::silu:
    case catalogue::Activation::gelu:
    case catalogue::Activation::gelu_tanh: {
      // By Richardson's extrapolation of central differences: no formula that could be copied wrong.
      const auto slope = [&](double step) {
        return (activate(activation, told + step) - activate(activation, told - step)) / (2 * step);
      };
      constexpr double kStep = 4e-3;
      const double coarse = (4 * slope(kStep / 2) - slope(kStep)) / 3;
      const double fine = (4 * slope(kStep / 4) - slope(kStep / 2)) / 3;
      return (16 * fine - coarse) / 15;
    }
  }
  return 1;
}

double loss_term(const catalogue::LossFunction& loss, double output, double target) {
  switch (loss.kind) {
    case catalogue::Loss::mse:
      return std::pow(output - target, 2);
    case catalogue::Loss::half_mse:
      return std::pow(output - target, 2) / 2;
    case catalogue::Loss::binary_cross_entropy:
      return std::log(1 + std::exp(output)) - output * target;
    case catalogue::Loss::huber: {
      const double far = std::max(std::abs(output - target) - loss.huber_delta, 0.0);
      return (std::pow(output - target, 2) - far * far) / 2;
    }
    case catalogue::Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

double loss_slope(const catalogue::LossFunction& loss, double output, double target) {
  switch (loss.kind) {
    case catalogue::Loss::mse:
      return 2 * (output - target);
    case catalogue::Loss::half_mse:
      return output - target;
    case catalogue::Loss::binary_cross_entropy:
      return 1 / (1 + std::exp(-output)) - target;
    case catalogue::Loss::huber:
      return std::clamp(output - target, -loss.huber_delta, loss.huber_delta);
    case catalogue::Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

void expect_close(const Dense& actual, const Dense& expected, catalogue::Dtype dtype, double scale) {
  ASSERT_EQ(actual.values.size(), expected.values.size());
  const double tolerance = 16 * epsilon_of(dtype) * scale;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(actual.values[i], expected.values[i], tolerance) << "entry " << i;
  }
}

// A device that is not there refuses, and is left out. One that fails otherwise is not: its tests say how.
bool is_usable(const Backend& backend) {
  Context* context = nullptr;
  const gdbench_status status = backend.create({1, false, nullptr, nullptr}, &context);
  if (status == GDBENCH_OK) backend.destroy(context);
  return status != GDBENCH_UNSUPPORTED;
}

// A build that was carried elsewhere need not have all of them, such as those of the tests alone.
bool is_left_behind(const std::string& name) {
  return std::getenv("GDBENCH_BUILD_DIRECTORY") != nullptr &&
         !std::filesystem::exists(plugin_folder(name) + "/kernels/libgdbench_kernels_" + name + ".so");
}

std::vector<std::string> backend_names() {
  std::istringstream list(GDBENCH_BACKENDS);
  std::vector<std::string> names{std::istream_iterator<std::string>(list), {}};
  std::erase_if(names, [](const std::string& name) { return is_left_behind(name) || !is_usable(backend_named(name)); });
  return names;
}

std::vector<BackendCase> cases_of(bool mixed) {
  std::vector<BackendCase> cases;
  for (const std::string& name : backend_names()) {
    const Backend& backend = backend_named(name);
    if ((backend.flags & kNoArithmetic) != 0) continue;
    for (const catalogue::Dtype dtype : catalogue::all_of<catalogue::Dtype>()) {
      const bool offered = (backend.dtypes & bit_of(dtype)) != 0;
      if (offered && catalogue::is_mixed(dtype) == mixed) cases.push_back({name, dtype});
    }
  }
  return cases;
}

std::vector<BackendCase> all_cases() { return cases_of(false); }
std::vector<BackendCase> mixed_cases() { return cases_of(true); }

std::string case_name(const testing::TestParamInfo<BackendCase>& info) {
  return info.param.backend + "_" + name_of(info.param.dtype);
}

Request BackendTest::request(Op op, const std::vector<Operand>& operands) const {
  Request request;
  request.op = op;
  request.dtype = GetParam().dtype;
  request.operand_count = operands.size();
  std::copy(operands.begin(), operands.end(), request.operands);
  return request;
}

}  // namespace gdbench::backends
