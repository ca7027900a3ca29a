// CasADi: the gradient as a graph of matrices, made for each number of rows before the first step.
#include <casadi/core/function.hpp>
#include <casadi/core/mx.hpp>
#include <map>
#include <vector>

#include "implementations/autodiff/casadi/generated.h"
#include "implementations/autodiff/common/network_loss.h"
#include "implementations/backends/common/rules/losses.h"

namespace gdbench::autodiff {

using casadi::MX;

// What is 0 is not added: casadi would keep the sum.
template <>
MX positive_or(const MX& c, const MX& a, const MX& b) {
  const MX positive = if_else_zero(c > 0, a);
  return b.is_zero() ? positive : positive + if_else_zero(c <= 0, b);
}

namespace {

// CasADi's matrices are column-major, transposes of row-major ones in the same memory: columns are a batch's rows.

MX positive_part(const MX& z) { return if_else_zero(z > 0, z); }

// What the entries of P add for targets Y, which are 0 and 1 where they were labels.
MX loss_terms(const catalogue::LossFunction& loss, const MX& p, const MX& y) {
  switch (loss.kind) {
    case Loss::mse:
    case Loss::half_mse:
      return sq(p - y);
    case Loss::binary_cross_entropy:
      // log(1 + e^p) - p y, with the larger of 1 and e^p taken out, so that e^p does not overflow.
      return positive_part(p) + log1p(exp(p - 2 * positive_part(p))) - p * y;
    case Loss::huber: {
      const double delta = loss.huber_delta;
      const MX size = 2 * positive_part(p - y) - (p - y);
      return if_else_zero(size <= delta, sq(size) / 2) + if_else_zero(size > delta, delta * (size - delta / 2));
    }
    case Loss::softmax_cross_entropy: {
      MX largest = p(0, casadi::Slice());
      for (casadi_int j = 1; j < p.size1(); ++j) largest = fmax(largest, p(j, casadi::Slice()));
      const MX shifted = p - repmat(largest, p.size1(), 1);
      return largest + log(sum1(exp(shifted))) - sum1(p * y);
    }
  }
  std::abort();
}

// (X, Y, w0, b0, w1, ...) -> the gradients of w0, b0, w1, ...
casadi::Function gradient_function(const Network& network, std::int64_t rows) {
  const Layer& last = network.layers.back();
  const MX x = MX::sym("x", network.layers.front().inputs, rows);
  const MX y = MX::sym("y", last.outputs, rows);
  std::vector<MX> parameters;
  MX a = x;
  for (const Layer& layer : network.layers) {
    const MX w = parameters.emplace_back(MX::sym("w", layer.outputs, layer.inputs));
    MX z = mtimes(w, a);
    if (layer.bias >= 0) z += repmat(parameters.emplace_back(MX::sym("b", layer.outputs)), 1, rows);
    a = activated(layer.activation, z);
  }
  const MX loss = backends::loss_scale(network.loss, rows, last.outputs) * sum2(sum1(loss_terms(network.loss, a, y)));
  std::vector<MX> gradients = reverse({loss}, parameters, {{MX(1)}}).front();
  for (MX& gradient : gradients) gradient = densify(gradient);
  std::vector<MX> operands = {x, y};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  return {"step", operands, gradients};
}

// A function and the memory that a call of it takes.
class Call {
 public:
  explicit Call(const casadi::Function& function)
      : function_(function),
        operands_(function.sz_arg()),
        results_(function.sz_res()),
        integers_(function.sz_iw()),
        numbers_(function.sz_w()) {}

  const double*& operand(std::size_t i) { return operands_[i]; }
  double*& result(std::size_t i) { return results_[i]; }
  void run() { function_(operands_.data(), results_.data(), integers_.data(), numbers_.data()); }

 private:
  casadi::Function function_;
  std::vector<const double*> operands_;
  std::vector<double*> results_;
  std::vector<casadi_int> integers_;
  std::vector<double> numbers_;
};

class Graph final : public Gradient {
 public:
  explicit Graph(const Request& request) : network_(request.network) {
    for (const std::int64_t rows : request.rows) {
      const casadi::Function function = gradient_function(network_, rows);
      calls_.try_emplace(rows, request.mode == "generated" ? compiled(function) : function);
    }
    for (const Layer& layer : network_.layers) {
      places_.push_back(layer.weights);
      if (layer.bias >= 0) places_.push_back(layer.bias);
    }
  }

  void forward(const void* parameters, const Batch& batch) override {
    call_ = &calls_.at(batch.rows);
    call_->operand(0) = static_cast<const double*>(batch.x);
    call_->operand(1) = targets_of(batch);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      call_->operand(2 + i) = static_cast<const double*>(parameters) + places_[i];
    }
  }
  void backward(void* gradient) override {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      call_->result(i) = static_cast<double*>(gradient) + places_[i];
    }
    call_->run();
  }

 private:
  const double* targets_of(const Batch& batch) {
    const std::int32_t* labels = labels_of(network_, batch);
    if (labels == nullptr) return static_cast<const double*>(batch.targets);
    chosen_.clear();
    append_chosen(network_, labels, batch.rows, chosen_);
    return chosen_.data();
  }

  const Network network_;
  std::map<std::int64_t, Call> calls_;  // by rows
  Call* call_ = nullptr;                // of the batch
  std::vector<std::int64_t> places_;    // of the parameters, in the order w0 b0 w1 b1 ...
  std::vector<double> chosen_;          // labels as 0 and 1
};

}  // namespace

std::unique_ptr<Gradient> make_gradient(const Request& request) { return std::make_unique<Graph>(request); }

}  // namespace gdbench::autodiff
