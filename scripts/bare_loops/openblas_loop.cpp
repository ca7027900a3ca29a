// The same step by calls of a BLAS and loops, as one writes it by hand; of gdbench it knows nothing: openblas_loop
// WORKLOAD.
#include <cmath>

#include "answer_lines.h"
#include "own_data.h"

extern "C" {
void openblas_set_num_threads(int threads);
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
void cblas_sgemv(int order, int transpose, int m, int n, float alpha, const float* a, int lda, const float* x, int incx,
                 float beta, float* y, int incy);
}

namespace {

constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;

// C = alpha op(A) op(B) + beta C: C [m,n], of one column by gemv.
void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, float alpha, const float* a, const float* b,
              float beta, float* c) {
  const int of_a = transpose_a ? kTransposed : kAsItIs;
  const int columns_of_a = transpose_a ? m : k;
  if (n == 1) {
    cblas_sgemv(kRowMajor, of_a, transpose_a ? k : m, columns_of_a, alpha, a, columns_of_a, b, 1, beta, c, 1);
    return;
  }
  cblas_sgemm(kRowMajor, of_a, transpose_b ? kTransposed : kAsItIs, m, n, k, alpha, a, columns_of_a, b,
              transpose_b ? k : n, beta, c, n);
}

struct Layer {
  Layer(int batch, int from, int to, bool has_bias)
      : inputs(from),
        outputs(to),
        weights(normal<float>(static_cast<std::size_t>(from * to), 0.1)),
        bias(has_bias ? static_cast<std::size_t>(to) : 0),
        weights_gradient(weights.size()),
        bias_gradient(bias.size()),
        values(static_cast<std::size_t>(batch * to)),
        gradient(values.size()) {}

  int inputs, outputs;
  std::vector<float> weights, bias;  // [inputs, outputs]; [outputs], or none
  std::vector<float> weights_gradient, bias_gradient;
  std::vector<float> values, gradient;  // [batch, outputs]
};

void add_bias(Layer& layer, int batch, bool relu) {
  for (int i = 0; i < batch; ++i) {
    float* row = &layer.values[static_cast<std::size_t>(i * layer.outputs)];
    for (int j = 0; j < layer.outputs; ++j) {
      const float z = row[j] + layer.bias[static_cast<std::size_t>(j)];
      row[j] = relu && !(z > 0) ? 0 : z;
    }
  }
}

void squared_error_gradient(Layer& last, const float* y) {
  const float scale = 2 / static_cast<float>(last.values.size());
  for (std::size_t i = 0; i < last.values.size(); ++i) last.gradient[i] = scale * (last.values[i] - y[i]);
}

void cross_entropy_gradient(Layer& last, const int* labels, int batch) {
  const float scale = 1 / static_cast<float>(batch);
  for (int i = 0; i < batch; ++i) {
    const float* logits = &last.values[static_cast<std::size_t>(i * last.outputs)];
    float* row = &last.gradient[static_cast<std::size_t>(i * last.outputs)];
    const float shift = *std::max_element(logits, logits + last.outputs);
    float sum = 0;
    for (int j = 0; j < last.outputs; ++j) sum += row[j] = std::exp(logits[j] - shift);
    for (int j = 0; j < last.outputs; ++j) row[j] *= scale / sum;
    row[labels[i]] -= scale;
  }
}

void find_bias_gradient(Layer& layer, int batch) {
  std::vector<float>& sums = layer.bias_gradient;
  std::fill(sums.begin(), sums.end(), 0.0F);
  for (int i = 0; i < batch; ++i) {
    const float* row = &layer.gradient[static_cast<std::size_t>(i * layer.outputs)];
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += row[j];
  }
}

void update(std::vector<float>& parameters, const std::vector<float>& gradient) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= static_cast<float>(kRate) * gradient[i];
}

}  // namespace

int main(int count, char** arguments) {
  openblas_set_num_threads(1);
  const std::string workload = count > 1 ? arguments[1] : "";
  Data<float> data(workload);
  const int batch = data.batch;
  std::vector<Layer> layers;
  for (std::size_t i = 0; i + 1 < data.widths.size(); ++i) {
    layers.emplace_back(batch, data.widths[i], data.widths[i + 1], data.widths.size() > 2);
  }
  answer_lines([&] {
    data.next();
    const float* input = data.x();
    for (Layer& layer : layers) {
      multiply(false, false, batch, layer.outputs, layer.inputs, 1, input, layer.weights.data(), 0,
               layer.values.data());
      if (!layer.bias.empty()) add_bias(layer, batch, &layer != &layers.back());
      input = layer.values.data();
    }
    if (layers.back().outputs == 1) {
      squared_error_gradient(layers.back(), data.y());
    } else {
      cross_entropy_gradient(layers.back(), data.labels(), batch);
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      Layer& layer = layers[i];
      if (i > 0) {
        Layer& before = layers[i - 1];
        multiply(false, true, batch, layer.inputs, layer.outputs, 1, layer.gradient.data(), layer.weights.data(), 0,
                 before.gradient.data());
        for (std::size_t j = 0; j < before.values.size(); ++j) {
          before.gradient[j] = before.values[j] > 0 ? before.gradient[j] : 0;
        }
      }
      multiply(true, false, layer.inputs, layer.outputs, batch, 1, i > 0 ? layers[i - 1].values.data() : data.x(),
               layer.gradient.data(), 0, layer.weights_gradient.data());
      if (!layer.bias.empty()) find_bias_gradient(layer, batch);
    }
    for (Layer& layer : layers) {
      update(layer.weights, layer.weights_gradient);
      update(layer.bias, layer.bias_gradient);
    }
  });
}
