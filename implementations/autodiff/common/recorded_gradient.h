// The gradient of a library whose scalars record what is computed with them, anew in each step.
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/autodiff/common/network_loss.h"

namespace gdbench::autodiff {

// `Tape` says how the library is used:
//   Scalar, Number                                            its type, and that of its values
//   begin(std::vector<Scalar>& parameters)                    says what to differentiate by; they have their values
//   differentiate(const Scalar& loss, const std::vector<Scalar>& parameters, Number* gradient)
//                                                             writes the gradient, and frees what was recorded
template <class Tape>
class RecordedGradient final : public Gradient {
 public:
  explicit RecordedGradient(const Network& network) : network_(network) {}

  void forward(const void* parameters, const Batch& batch) override {
    const auto* values = static_cast<const Number*>(parameters);
    parameters_.assign(values, values + network_.size);
    Tape::begin(parameters_);
    loss_ = network_loss(network_, parameters_.data(), static_cast<const Number*>(batch.x),
                         static_cast<const Number*>(batch.targets), labels_of(network_, batch), batch.rows);
  }
  void backward(void* gradient) override { Tape::differentiate(loss_, parameters_, static_cast<Number*>(gradient)); }

 private:
  using Number = typename Tape::Number;

  const Network network_;
  std::vector<typename Tape::Scalar> parameters_;
  typename Tape::Scalar loss_;
};

}  // namespace gdbench::autodiff
