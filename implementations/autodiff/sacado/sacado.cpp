// Sacado's reverse mode: scalars leave their derivatives in an arena, which Gradcomp walks backward and then uses again.
#include <Sacado_trad.hpp>

#include <vector>

#include "implementations/autodiff/common/network_loss.h"

namespace gdbench::autodiff {
namespace {

template <class T>
class Rad final : public Gradient {
 public:
  explicit Rad(const Network& network) : network_(network) {}

  void forward(const void* parameters, const Batch& batch) override {
    const T* values = static_cast<const T*>(parameters);
    parameters_.assign(values, values + network_.size);
    const bool labels = catalogue::takes_labels(network_.loss);
    network_loss(network_, parameters_.data(), static_cast<const T*>(batch.x), static_cast<const T*>(batch.targets),
                 labels ? static_cast<const std::int32_t*>(batch.targets) : nullptr, batch.rows);
  }

  void backward(void* gradient) override {
    Scalar::Gradcomp();  // of the scalar that was computed last: the loss
    T* entries = static_cast<T*>(gradient);
    for (const Scalar& parameter : parameters_) *entries++ = parameter.adj();
  }

 private:
  using Scalar = Sacado::Rad::ADvar<T>;

  const Network network_;
  std::vector<Scalar> parameters_;
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) -> std::unique_ptr<Gradient> {
    return std::make_unique<Rad<decltype(zero)>>(request.network);
  });
}

}  // namespace gdbench::autodiff
