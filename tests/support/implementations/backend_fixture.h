// What the tests of kernels share: the backends, host arrays as buffers, random matrices and comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "implementations/backends/common/kernel_library.h"

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

// Gradient descent by the rate in its scalars alone.
const gdbench_optimizer& plain_sgd();

// Of an instance that is told nothing else.
gdbench_settings settings_for(std::int32_t compute_threads);

// A dense row-major matrix in double, the test's own arithmetic.
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

// A backend's buffer filled from doubles, and back.
class TestContext {
 public:
  TestContext(const Backend& backend, catalogue::Dtype dtype, const gdbench_settings& settings = settings_for(1));
  ~TestContext();
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;

  Buffer upload(const Dense& matrix);
  void overwrite(Buffer buffer, const Dense& matrix);
  Buffer upload_bytes(const void* data, std::size_t bytes);
  void overwrite_bytes(Buffer buffer, const void* data, std::size_t bytes);
  // What was uploaded so far; for tests of many cases.
  void release_buffers();
  Dense download(Buffer buffer, std::int64_t rows, std::int64_t columns);
  double download_double(Buffer buffer);
  // Binds and runs a request; expects success.
  void run(const Request& request, const std::vector<Buffer>& buffers);
  // For calls that are run by hand. Null where the backend refuses.
  Call* bind(const Request& request);
  void unbind(Call* call) { backend_.unbind(context_, call); }
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

// f(z) and, of a = f(z), f'(z): the tests' own.
double activate(catalogue::Activation activation, double z);
// What an entry adds to the mean over all that a loss of entries is, and its derivative by the output.
double loss_term(const catalogue::LossFunction& loss, double output, double target);
double loss_slope(const catalogue::LossFunction& loss, double output, double target);
double activation_slope(catalogue::Activation activation, double a);

// Every entry within a few roundings of the dtype, relative to `scale`: the magnitude of what went into it, times the
// number of additions.
void expect_close(const Dense& actual, const Dense& expected, catalogue::Dtype dtype, double scale);

struct BackendCase {
  std::string backend;
  catalogue::Dtype dtype;
};
inline void PrintTo(const BackendCase& tested, std::ostream* out) {
  *out << tested.backend << " " << name_of(tested.dtype);
}
// The names of the backends of this build that can be used here.
std::vector<std::string> backend_names();
// Every backend that does arithmetic, in every dtype that it has.
std::vector<BackendCase> all_cases();
// The same for mixed dtypes.
std::vector<BackendCase> mixed_cases();
std::string case_name(const testing::TestParamInfo<BackendCase>& info);

class BackendTest : public testing::TestWithParam<BackendCase> {
 protected:
  BackendTest() : context_(backend_named(GetParam().backend), GetParam().dtype) {}
  Request request(Op op, const std::vector<Operand>& operands) const;

  TestContext context_;
  std::mt19937 generator_{20240117};
};

}  // namespace gdbench::backends
