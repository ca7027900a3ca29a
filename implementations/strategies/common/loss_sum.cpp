#include "implementations/strategies/common/loss_sum.h"

#include <array>

namespace gdbench::strategies {
namespace {

// On a processor, where a backend need not have doubles.
void add_on_processor(const backends::Call* /*call*/, const backends::Buffer* buffers, backends::Stream* /*stream*/) {
  *reinterpret_cast<double*>(buffers[1]) += *reinterpret_cast<const double*>(buffers[0]);
}
constexpr backends::Call kAddition = {add_on_processor};

}  // namespace

LossSum::LossSum(Session& session, const gdbench_problem& problem)
    : session_(session), problem_(problem), sum_(session.allocate(sizeof(double))) {}

void LossSum::add(Program& program, backends::Buffer loss) {
  const ModelPart part = of_layer(problem_.layer_count - 1);
  if (session_.host_memory()) {
    constexpr OpCost kCost = {1, 3 * sizeof(double)};
    return program.append(&kAddition, {"add", catalogue::Phase::forward, kCost, part}, std::array{loss, sum_});
  }
  const backends::Request addition{.op = backends::Op::combine, .dtype = catalogue::Dtype::f64, .beta = 1};
  program.add(session_, addition, catalogue::Phase::forward, part, {{sum_, 1, 1}, {loss, 1, 1}, {sum_, 1, 1}});
}

void LossSum::set_state(const gdbench_tensor& tensor) {
  const double sum = catalogue::with_element(catalogue::dtype_of(problem_), [&](auto zero) {
    return static_cast<double>(*static_cast<const decltype(zero)*>(tensor.data));
  });
  session_.upload(sum_, &sum, sizeof(sum));
}

void LossSum::get_state(const gdbench_tensor& tensor) {
  double sum = 0;
  session_.download(sum_, &sum, sizeof(sum));
  catalogue::with_element(catalogue::dtype_of(problem_), [&](auto zero) {
    *static_cast<decltype(zero)*>(tensor.data) = static_cast<decltype(zero)>(sum);
  });
}

}  // namespace gdbench::strategies
