#include "implementations/autodiff/stan/matrix.h"

#include <cstdlib>
#include <stan/math/rev/core.hpp>
#include <stan/math/rev/fun.hpp>
#include <vector>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"

namespace gdbench::autodiff {
namespace {

using Eigen::MatrixXd;
using stan::math::add;
using stan::math::elt_multiply;
using stan::math::multiply;
using stan::math::subtract;
using stan::math::sum;
using stan::math::var;

// Stan's matrices are column-major, transposes of row-major ones in the same memory: columns are a batch's rows.
using Matrix = stan::math::var_value<MatrixXd>;
using Given = Eigen::Map<const MatrixXd>;

// The entries of z times `above` where they are positive, else times `below`: a tape that is recorded anew may know.
Matrix by_sign(const Matrix& z, double above, double below) {
  return elt_multiply(z, MatrixXd((z.val().array() > 0).select(MatrixXd::Constant(z.rows(), z.cols(), above), below)));
}

Matrix activated(Activation activation, const Matrix& z) {
  switch (activation) {
    case Activation::identity:
      return z;
    case Activation::relu:
      return by_sign(z, 1, 0);
    case Activation::tanh:
      return stan::math::tanh(z);
    case Activation::sigmoid:
      return stan::math::inv_logit(z);
    case Activation::leaky_relu:
      return by_sign(z, 1, 0.01);
    case Activation::silu:
      return elt_multiply(z, stan::math::inv_logit(z));
    case Activation::gelu:
      return elt_multiply(multiply(0.5, z), stan::math::erfc(multiply(-0.70710678118654752440, z)));  // -1 / sqrt(2)
    case Activation::gelu_tanh: {
      const Matrix cube = elt_multiply(z, stan::math::square(z));
      const Matrix t = stan::math::tanh(multiply(backends::kGeluScale, add(z, multiply(backends::kGeluCube, cube))));
      return elt_multiply(multiply(0.5, z), add(1.0, t));
    }
    case Activation::softplus:
      return stan::math::log1p_exp(z);
  }
  std::abort();
}

// The sum over all entries of a loss whose columns are not coupled.
var loss_sum(const catalogue::LossFunction& loss, const Matrix& p, const Given& y) {
  switch (loss.kind) {
    case Loss::mse:
    case Loss::half_mse:
      return sum(stan::math::square(subtract(p, y)));
    case Loss::binary_cross_entropy:
      return sum(stan::math::log1p_exp(p)) - sum(elt_multiply(p, y));
    case Loss::huber: {
      const double delta = loss.huber_delta;
      const Matrix error = subtract(p, y);
      const Matrix size = by_sign(error, 1, -1);
      const MatrixXd near = (size.val().array() <= delta).cast<double>();
      const MatrixXd far = 1 - near.array();
      return sum(elt_multiply(stan::math::square(size), 0.5 * near)) + sum(elt_multiply(size, delta * far)) -
             far.sum() * delta * delta / 2;
    }
    case Loss::softmax_cross_entropy:
      break;
  }
  std::abort();
}

var cross_entropy_sum(const Matrix& p, const std::int32_t* labels) {
  const Eigen::RowVectorXd largest = p.val().colwise().maxCoeff();
  MatrixXd chosen = MatrixXd::Zero(p.rows(), p.cols());
  for (Eigen::Index column = 0; column < p.cols(); ++column) chosen(labels[column], column) = 1;
  const Matrix powers = stan::math::exp(subtract(p, largest.replicate(p.rows(), 1)));
  const Matrix sums = multiply(MatrixXd::Ones(1, p.rows()), powers);
  return sum(stan::math::log(sums)) + largest.sum() - sum(elt_multiply(p, chosen));
}

class Matrices final : public Gradient {
 public:
  explicit Matrices(const Network& network) : network_(network) {}

  void forward(const void* parameters, const Batch& batch) override {
    const double* values = static_cast<const double*>(parameters);
    const MatrixXd ones = MatrixXd::Ones(1, batch.rows);
    parameters_.clear();
    Matrix a;
    for (std::size_t l = 0; l < network_.layers.size(); ++l) {
      const Layer& layer = network_.layers[l];
      const Matrix& w = parameters_.emplace_back(MatrixXd(Given(values + layer.weights, layer.outputs, layer.inputs)));
      Matrix z = l > 0 ? Matrix(multiply(w, a))
                       : Matrix(multiply(w, Given(static_cast<const double*>(batch.x), layer.inputs, batch.rows)));
      if (layer.bias >= 0) {
        const Matrix& b = parameters_.emplace_back(MatrixXd(Given(values + layer.bias, layer.outputs, 1)));
        z = add(z, multiply(b, ones));
      }
      a = activated(layer.activation, z);
    }
    const std::int64_t outputs = network_.layers.back().outputs;
    const std::int32_t* labels = labels_of(network_, batch);
    const auto* y = static_cast<const double*>(batch.targets);
    const var total =
        labels != nullptr ? cross_entropy_sum(a, labels) : loss_sum(network_.loss, a, Given(y, outputs, batch.rows));
    loss_ = total * backends::loss_scale(network_.loss, batch.rows, outputs);
  }

  void backward(void* gradient) override {
    stan::math::grad(loss_.vi_);
    auto next = parameters_.begin();
    const auto write = [&](std::int64_t first) {
      Eigen::Map<MatrixXd>(static_cast<double*>(gradient) + first, next->rows(), next->cols()) = next->adj();
      ++next;
    };
    for (const Layer& layer : network_.layers) {
      write(layer.weights);
      if (layer.bias >= 0) write(layer.bias);
    }
    stan::math::recover_memory();
  }

 private:
  const Network network_;
  std::vector<Matrix> parameters_;  // w0 b0 w1 b1 ...
  var loss_;
};

}  // namespace

std::unique_ptr<Gradient> make_matrix_gradient(const Network& network) { return std::make_unique<Matrices>(network); }

}  // namespace gdbench::autodiff
