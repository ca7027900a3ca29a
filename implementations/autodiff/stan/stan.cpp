// Stan Math: scalars, or matrices, leave nodes in an arena, which grad walks backward and recover_memory frees.
#include <stan/math/rev/core.hpp>
#include <stan/math/rev/fun.hpp>

#include "implementations/autodiff/common/recorded_gradient.h"
#include "implementations/autodiff/stan/matrix.h"

namespace gdbench::autodiff {
namespace {

struct Scalars {
  using Scalar = stan::math::var;
  using Number = double;

  static void begin(std::vector<Scalar>& /*parameters*/) {}
  static void differentiate(const Scalar& loss, const std::vector<Scalar>& parameters, double* gradient) {
    stan::math::grad(loss.vi_);
    for (const Scalar& parameter : parameters) *gradient++ = parameter.adj();
    stan::math::recover_memory();
  }
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) {
  if (request.mode == "matrix") return make_matrix_gradient(request.network);
  return std::make_unique<RecordedGradient<Scalars>>(request.network);
}

}  // namespace gdbench::autodiff
