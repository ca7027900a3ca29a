// The gradients with exponentials, which Eigen computes for a whole array. All else is plain loops.
#include "implementations/backends/common/cpu/loss_loops.h"
#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::LossCall;

// G may be P's buffer: entries are independent.
template <class T, class Rule>
void run_gradient_of_entries(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_array<T>(buffers[0], self.size());
  const auto y = input_array<T>(buffers[1], self.size());
  output_array<T>(buffers[2], self.size()) =
      static_cast<T>(self.scale) * Rule::slope(p, y, static_cast<T>(self.huber_delta));
}

// (softmax(P) - one_hot(label)) / m. G may be P's buffer.
template <class T>
void run_cross_entropy_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_matrix<T>(buffers[0], self.rows, self.columns);
  const auto* labels = cpu::data<const std::int32_t>(buffers[1]);
  auto g = output_matrix<T>(buffers[2], self.rows, self.columns);
  const T scale = static_cast<T>(self.scale);
  for (Eigen::Index i = 0; i < self.rows; ++i) {
    auto row = g.row(i).array();
    row = (p.row(i).array() - p.row(i).maxCoeff()).exp();
    row *= scale / row.sum();
    row(labels[i]) -= scale;
  }
}

}  // namespace

template <class T>
cpu::LossFunctions loss_functions() {
  cpu::LossFunctions functions = cpu::loss_loops<T>();
  const auto set_gradient = [&](Loss loss, cpu::Run run) { cpu::entry_of(functions.gradient, loss) = run; };
  set_gradient(Loss::binary_cross_entropy, run_gradient_of_entries<T, RuleOf<Loss::binary_cross_entropy>>);
  set_gradient(Loss::softmax_cross_entropy, run_cross_entropy_gradient<T>);
  return functions;
}

template cpu::LossFunctions loss_functions<float>();
template cpu::LossFunctions loss_functions<double>();

}  // namespace gdbench::backends::eigen
