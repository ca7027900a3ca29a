#include "implementations/torch_cpp/model.h"

#include "harness/abi/catalogue.h"
#include "implementations/common/failure.h"
#include "implementations/torch_cpp/batches.h"

namespace gdbench::torch_cpp {

namespace nn = torch::nn;
using catalogue::Activation;
using catalogue::Loss;
using implementations::Failure;

namespace {

void add_activation(nn::Sequential& model, Activation activation) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      model->push_back(nn::ReLU());
      break;
    case Activation::tanh:
      model->push_back(nn::Tanh());
      break;
    case Activation::sigmoid:
      model->push_back(nn::Sigmoid());
      break;
    case Activation::leaky_relu:
      model->push_back(nn::LeakyReLU());
      break;
    case Activation::silu:
      model->push_back(nn::SiLU());
      break;
    case Activation::gelu:
      model->push_back(nn::GELU());
      break;
    case Activation::gelu_tanh:
      model->push_back(nn::GELU(nn::GELUOptions().approximate("tanh")));
      break;
    case Activation::softplus:
      // Beyond 20, that of torch, f64 shows what is left out.
      model->push_back(nn::Softplus(nn::SoftplusOptions().threshold(40)));
      break;
  }
}

}  // namespace

nn::Sequential make_model(const gdbench_problem& problem) {
  nn::Sequential model;
  for (std::int64_t l = 0; l < problem.layer_count; ++l) {
    const gdbench_layer& layer = problem.layers[l];
    model->push_back(nn::Linear(nn::LinearOptions(layer.inputs, layer.outputs).bias(layer.has_bias != 0)));
    add_activation(model, catalogue::activation_of(layer));
  }
  model->to(element_type(problem));
  return model;
}

LossFunction make_loss(const gdbench_problem& problem) {
  const catalogue::LossFunction loss = catalogue::loss_of(problem);
  switch (loss.kind) {
    case Loss::mse:
      return nn::MSELoss();
    case Loss::half_mse:
      return [mean = nn::MSELoss()](const torch::Tensor& outputs, const torch::Tensor& targets) mutable {
        return mean(outputs, targets) / 2;
      };
    case Loss::softmax_cross_entropy:
      return nn::CrossEntropyLoss();
    case Loss::binary_cross_entropy:
      return nn::BCEWithLogitsLoss();
    case Loss::huber:
      return nn::HuberLoss(nn::HuberLossOptions().delta(loss.huber_delta));
  }
  throw Failure(GDBENCH_INVALID, "an unknown loss");
}

}  // namespace gdbench::torch_cpp
