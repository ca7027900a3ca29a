// Sacado's reverse mode: scalars leave their derivatives in an arena, which Gradcomp walks backward and then reuses.
#include <Sacado_trad.hpp>

#include "implementations/autodiff/common/recorded_gradient.h"

namespace gdbench::autodiff {
namespace {

template <class T>
struct Rad {
  using Scalar = Sacado::Rad::ADvar<T>;
  using Number = T;

  static void begin(std::vector<Scalar>& /*parameters*/) {}
  static void differentiate(const Scalar& /*loss*/, const std::vector<Scalar>& parameters, T* gradient) {
    Scalar::Gradcomp();  // of what was computed last
    for (const Scalar& parameter : parameters) *gradient++ = parameter.adj();
  }
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) -> std::unique_ptr<Gradient> {
    return std::make_unique<RecordedGradient<Rad<decltype(zero)>>>(request.network);
  });
}

}  // namespace gdbench::autodiff
