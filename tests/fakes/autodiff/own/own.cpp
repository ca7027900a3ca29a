#include <tape.h>

#include "implementations/autodiff/common/recorded_gradient.h"

namespace gdbench::autodiff {
namespace {

template <class T>
struct Own {
  using Scalar = tape::Scalar<T>;
  using Number = T;

  static void begin(std::vector<Scalar>& parameters) {
    for (Scalar& parameter : parameters) parameter.follow();
  }
  static void differentiate(const Scalar& loss, const std::vector<Scalar>& parameters, T* gradient) {
    loss.find_adjoints();
    for (const Scalar& parameter : parameters) *gradient++ = parameter.adjoint();
    Scalar::clear();
  }
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) -> std::unique_ptr<Gradient> {
    return std::make_unique<RecordedGradient<Own<decltype(zero)>>>(request.network);
  });
}

}  // namespace gdbench::autodiff
