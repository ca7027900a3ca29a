#include "tests/support/implementations/backend_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/training_case.h"

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

gdbench_settings settings_for(std::int32_t compute_threads) {
  gdbench_settings settings{};
  settings.struct_size = sizeof(settings);
  settings.compute_threads = compute_threads;
  return settings;
}

std::vector<std::byte> bytes_of(const Dense& matrix, catalogue::Dtype dtype) {
  std::vector<std::byte> bytes(matrix.values.size() * catalogue::size_of(dtype));
  catalogue::with_element(dtype, [&](auto zero) {
    const std::vector<decltype(zero)> elements(matrix.values.begin(), matrix.values.end());
    std::memcpy(bytes.data(), elements.data(), bytes.size());
  });
  return bytes;
}

void read_bytes(const std::vector<std::byte>& bytes, catalogue::Dtype dtype, Dense& matrix) {
  catalogue::with_element(dtype, [&](auto zero) {
    std::vector<decltype(zero)> elements(matrix.values.size());
    std::memcpy(elements.data(), bytes.data(), bytes.size());
    matrix.values.assign(elements.begin(), elements.end());
  });
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

Buffer TestContext::upload_bytes(const void* data, std::size_t bytes) {
  Buffer buffer = nullptr;
  if (backend_.allocate(context_, bytes, &buffer) != GDBENCH_OK) throw std::runtime_error(error_);
  buffers_.push_back(buffer);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % GDBENCH_ALIGNMENT, 0u);
  backend_.upload(context_, buffer, data, bytes, nullptr);
  return buffer;
}

Buffer TestContext::upload(const Dense& matrix, catalogue::Dtype dtype) {
  const std::vector<std::byte> bytes = bytes_of(matrix, dtype);
  return upload_bytes(bytes.data(), bytes.size());
}

Dense TestContext::download(Buffer buffer, std::int64_t rows, std::int64_t columns, catalogue::Dtype dtype) {
  Dense matrix(rows, columns);
  std::vector<std::byte> bytes(matrix.values.size() * catalogue::size_of(dtype));
  backend_.download(context_, buffer, bytes.data(), bytes.size(), nullptr);
  EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
  read_bytes(bytes, dtype, matrix);
  return matrix;
}

void TestContext::run(const Request& request, const std::vector<Buffer>& buffers) {
  Call* call = nullptr;
  ASSERT_EQ(backend_.bind(context_, request, &call), GDBENCH_OK) << error_;
  call->run(call, buffers.data(), nullptr);
  EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK);
  backend_.unbind(context_, call);
}

gdbench_status TestContext::bind_status(const Request& request) {
  Call* call = nullptr;
  const gdbench_status status = backend_.bind(context_, request, &call);
  if (call != nullptr) backend_.unbind(context_, call);
  return status;
}

void expect_close(const Dense& actual, const Dense& expected, catalogue::Dtype dtype, double scale) {
  expect_near({actual}, {expected}, 16 * epsilon_of(dtype) * scale);
}

Request request_of(catalogue::Dtype dtype, Op op, const std::vector<Operand>& operands) {
  Request request;
  request.op = op;
  request.dtype = dtype;
  request.operand_count = operands.size();
  std::copy(operands.begin(), operands.end(), request.operands);
  return request;
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

std::vector<BackendCase> cases_of(bool mixed) {
  std::vector<BackendCase> cases;
  std::istringstream names(GDBENCH_BACKENDS);
  for (std::string name; names >> name;) {
    if (is_left_behind(name)) continue;
    const Backend& backend = backend_named(name);
    if ((backend.flags & kNoArithmetic) != 0 || !is_usable(backend)) continue;
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

}  // namespace gdbench::backends
