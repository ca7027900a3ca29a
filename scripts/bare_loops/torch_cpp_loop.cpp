// libtorch in C++, as its tutorials write it; of gdbench it knows nothing: torch_cpp_loop WORKLOAD.
#include <ATen/Parallel.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <string>
#include <vector>

#include "answer_lines.h"

namespace {

struct Workload {
  torch::nn::Sequential model;
  torch::Tensor x;
  torch::Tensor y;
  std::vector<torch::Tensor> rows;  // of a batch; one of all rows is not taken by index
};

Workload make(const std::string& name) {
  namespace nn = torch::nn;
  if (name == "linreg-3x2") {
    return {nn::Sequential(nn::Linear(nn::LinearOptions(2, 1).bias(false))),
            torch::randn({3, 2}),
            torch::randn({3, 1}),
            {}};
  }
  if (name == "mlp-10-50-1") {
    return {nn::Sequential(nn::Linear(10, 50), nn::ReLU(), nn::Linear(50, 1)),
            torch::randn({1000, 10}),
            torch::randn({1000, 1}),
            {}};
  }
  return {nn::Sequential(nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10)), torch::randn({4096, 784}),
          torch::randint(10, {4096}, torch::kInt64), torch::randperm(4096).split(32)};
}

template <class Loss>
void train(Workload& work, Loss loss) {
  torch::optim::SGD optimizer(work.model->parameters(), torch::optim::SGDOptions(kRate));
  const auto step = [&](const torch::Tensor& x, const torch::Tensor& y) {
    optimizer.zero_grad();
    loss(work.model->forward(x), y).backward();
    optimizer.step();
  };
  std::size_t next = 0;
  answer_lines([&] {
    if (work.rows.empty()) {
      step(work.x, work.y);
      return;
    }
    const torch::Tensor& rows = work.rows[next++ % work.rows.size()];
    step(work.x.index({rows}), work.y.index({rows}));
  });
}

}  // namespace

int main(int count, char** arguments) {
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  Workload work = make(count > 1 ? arguments[1] : "");
  if (work.y.dtype() == torch::kInt64) {
    train(work, torch::nn::CrossEntropyLoss());
  } else {
    train(work, torch::nn::MSELoss());
  }
}
