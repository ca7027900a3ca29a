// ADOL-C, as its manual writes it: a tape of scalars in each step; of gdbench it knows nothing: adolc_loop WORKLOAD.
#include <adolc/adolc.h>

#include "answer_lines.h"
#include "own_data.h"

namespace {

adouble positive(const adouble& z) {
  adouble chosen;
  condassign(chosen, z, z, adouble(0));
  return chosen;
}

// The mean loss of a batch: squared error of one output, or cross-entropy of several.
adouble loss_of(const std::vector<adouble>& parameters, const Data<double>& data) {
  const bool has_bias = data.widths.size() > 2;
  adouble total = 0;
  for (int row = 0; row < data.batch; ++row) {
    std::vector<adouble> inputs, outputs;
    const double* x = data.x() + row * data.widths[0];
    const adouble* weights = parameters.data();
    for (std::size_t layer = 0; layer + 1 < data.widths.size(); ++layer) {
      const int from = data.widths[layer], to = data.widths[layer + 1];
      const adouble* bias = weights + from * to;
      outputs.clear();
      for (int j = 0; j < to; ++j) {
        adouble sum = has_bias ? bias[j] : adouble(0);
        for (int i = 0; i < from; ++i) {
          if (layer == 0) {
            sum += x[i] * weights[i * to + j];
          } else {
            sum += inputs[static_cast<std::size_t>(i)] * weights[i * to + j];
          }
        }
        outputs.push_back(layer + 2 < data.widths.size() ? positive(sum) : sum);
      }
      weights = bias + (has_bias ? to : 0);
      std::swap(inputs, outputs);
    }
    if (inputs.size() == 1) {
      const adouble error = inputs[0] - data.y()[row];
      total += error * error;
      continue;
    }
    adouble largest = inputs[0];
    for (std::size_t j = 1; j < inputs.size(); ++j) largest = fmax(inputs[j], largest);
    adouble sum = exp(inputs[0] - largest);
    for (std::size_t j = 1; j < inputs.size(); ++j) sum += exp(inputs[j] - largest);
    total += largest + log(sum) - inputs[static_cast<std::size_t>(data.labels()[row])];
  }
  return total / data.batch;
}

}  // namespace

int main(int count, char** arguments) {
  Data<double> data(count > 1 ? arguments[1] : "");
  std::size_t size = 0;
  unsigned operations = 0;
  for (std::size_t i = 0; i + 1 < data.widths.size(); ++i) {
    const int inputs = data.widths[i], outputs = data.widths[i + 1];
    size += static_cast<std::size_t>(inputs * outputs + (data.widths.size() > 2 ? outputs : 0));
    operations += static_cast<unsigned>(data.batch * outputs * (inputs + 16));
  }
  operations += static_cast<unsigned>(size);
  std::vector<double> parameters = normal<double>(size, 0.1), gradient(size);
  answer_lines([&] {
    data.next();
    // Buffers in memory for all of the tape, of which the manual has a section.
    trace_on(0, 1, 3 * operations, 7 * operations, 2 * operations, 3 * operations);
    {
      std::vector<adouble> active(size);
      for (std::size_t i = 0; i < size; ++i) active[i] <<= parameters[i];
      double loss = 0;
      loss_of(active, data) >>= loss;
    }
    trace_off();
    double one = 1;
    fos_reverse(0, 1, static_cast<int>(size), &one, gradient.data());
    for (std::size_t i = 0; i < size; ++i) parameters[i] -= kRate * gradient[i];
  });
}
