// What the tests of kernels share: the backends, host arrays as buffers, random matrices and comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "implementations/backends/common/kernel_library.h"
#include "tests/support/implementations/optimizer_case.h"

namespace gdbench::catalogue {
inline void PrintTo(Dtype dtype, std::ostream* out) { *out << name_of(dtype); }
}  // namespace gdbench::catalogue

namespace gdbench::backends {

// Opened once; fails the test where it cannot be.
const Backend& backend_named(const std::string& name);

// Whether its buffers are no host addresses.
bool is_device(const std::string& name);

// The folder that a backend's plugin lies in, and, in its folder `kernels`, the backend.
std::string plugin_folder(const std::string& name);

// Of a test that a step allocates nothing; empty where they are.
std::string why_allocations_are_not_counted(const std::string& backend);

// Of an instance without further settings.
gdbench_settings settings_for(std::int32_t compute_threads);

// A dense row-major matrix in double.
struct Dense {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  Dense() = default;
  Dense(std::int64_t r, std::int64_t c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  double& at(std::int64_t r, std::int64_t c) { return values[static_cast<std::size_t>(r * columns + c)]; }
  double at(std::int64_t r, std::int64_t c) const { return values[static_cast<std::size_t>(r * columns + c)]; }
};

// Entries that float represents exactly, so that f32 and f64 kernels start from the same numbers.
Dense random_matrix(std::mt19937& generator, std::int64_t rows, std::int64_t columns);

// As elements of a dtype, and back into a matrix of its shape.
std::vector<std::byte> bytes_of(const Dense& matrix, catalogue::Dtype dtype);
void read_bytes(const std::vector<std::byte>& bytes, catalogue::Dtype dtype, Dense& matrix);

// Buffers of a backend that live as long as this does.
class TestContext {
 public:
  TestContext(const Backend& backend, catalogue::Dtype dtype, const gdbench_settings& settings = settings_for(1));
  ~TestContext() { backend_.destroy(context_); }
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;

  catalogue::Dtype dtype() const { return dtype_; }
  Buffer upload(const Dense& matrix) { return upload(matrix, dtype_); }
  Buffer upload(const Dense& matrix, catalogue::Dtype dtype);
  Buffer upload_bytes(const void* data, std::size_t bytes);
  void release_buffers();
  Dense download(Buffer buffer, std::int64_t rows, std::int64_t columns) {
    return download(buffer, rows, columns, dtype_);
  }
  Dense download(Buffer buffer, std::int64_t rows, std::int64_t columns, catalogue::Dtype dtype);
  // Binds and runs a request; expects success.
  void run(const Request& request, const std::vector<Buffer>& buffers);
  gdbench_status bind_status(const Request& request);
  const std::string& error() const { return error_; }
  Context* get() const { return context_; }

 private:
  const Backend& backend_;
  catalogue::Dtype dtype_;
  Context* context_ = nullptr;
  std::string error_;
  std::vector<Buffer> buffers_;
};

// Every entry within a few roundings of the dtype, relative to entries larger than 1, times `scale`: the magnitude of
// what went into it, times the number of additions.
void expect_close(const Dense& actual, const Dense& expected, catalogue::Dtype dtype, double scale);

Request request_of(catalogue::Dtype dtype, Op op, const std::vector<Operand>& operands);

struct BackendCase {
  std::string backend;
  catalogue::Dtype dtype;
};
inline void PrintTo(const BackendCase& tested, std::ostream* out) {
  *out << tested.backend << " " << name_of(tested.dtype);
}
// Every backend of this build that can be used here and does arithmetic, in every dtype that it has.
std::vector<BackendCase> all_cases();
// The same for mixed dtypes.
std::vector<BackendCase> mixed_cases();
std::string case_name(const testing::TestParamInfo<BackendCase>& info);

class BackendTest : public testing::TestWithParam<BackendCase> {
 protected:
  BackendTest() : context_(backend(), GetParam().dtype) {}
  static const Backend& backend() { return backend_named(GetParam().backend); }
  static bool offers(std::uint32_t flags) { return (backend().flags & flags) != 0; }
  static Request request(Op op, const std::vector<Operand>& operands) {
    return request_of(GetParam().dtype, op, operands);
  }

  TestContext context_;
  std::mt19937 generator_{20240117};
};

}  // namespace gdbench::backends
