// A tape on naive kernels in double, and the gradients of what it records against central differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "implementations/strategies/tape/tape.h"
#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::strategies::tape {

class TapeFixture : public testing::Test {
 protected:
  Matrix upload(const backends::Dense& values) {
    const backends::Buffer buffer = session_.allocate(values.values.size() * sizeof(double));
    write({buffer, values.rows, values.columns}, values.values);
    return {buffer, values.rows, values.columns};
  }
  Matrix random(std::int64_t rows, std::int64_t columns) {
    return upload(backends::random_matrix(generator_, rows, columns));
  }
  void write(const Matrix& matrix, const std::vector<double>& values) {
    session_.upload(matrix.buffer, values.data(), values.size() * sizeof(double));
  }
  std::vector<double> read(const Matrix& matrix) {
    std::vector<double> values(static_cast<std::size_t>(matrix.rows * matrix.columns));
    session_.download(matrix.buffer, values.data(), values.size() * sizeof(double));
    return values;
  }

  // Records a model whose parameters are matrices, and says its loss.
  using Model = std::function<Value(const std::vector<Value>& parameters)>;

  std::vector<Value> begin(const std::vector<Matrix>& parameters, bool named, Mode mode = Mode::once) {
    tape_.begin(mode);
    std::vector<Value> values;
    for (const Matrix& matrix : parameters) {
      const backends::Buffer gradient =
          named ? session_.allocate(static_cast<std::size_t>(matrix.rows * matrix.columns) * sizeof(double)) : nullptr;
      values.push_back(tape_.parameter(matrix, gradient));
    }
    return values;
  }
  double loss_of(const std::vector<Matrix>& parameters, const Model& model) {
    return read(tape_.matrix(model(begin(parameters, false))))[0];
  }
  // Gradients, with and without buffers of the caller's, of one backward pass and of the second one, against central
  // differences of the loss.
  void check(const std::vector<Matrix>& parameters, const Model& model) {
    for (const bool named : {false, true}) {
      for (const Mode mode : {Mode::once, Mode::persistent}) {
        SCOPED_TRACE(std::string(named ? "in the caller's buffers" : "") + (mode == Mode::once ? "" : " again"));
        const std::vector<Value> values = begin(parameters, named, mode);
        const Value loss = model(values);
        tape_.backward(loss);
        if (mode == Mode::persistent) tape_.backward(loss);
        std::vector<std::vector<double>> gradients;
        for (const Value value : values) {
          const Matrix gradient = tape_.gradient(value);
          const auto size = static_cast<std::size_t>(gradient.rows * gradient.columns);
          gradients.push_back(gradient.buffer != nullptr ? read(gradient) : std::vector<double>(size));
        }
        for (std::size_t p = 0; p < parameters.size(); ++p) expect_slopes(parameters, model, p, gradients[p]);
      }
    }
  }
  Value mse(Value outputs, const Matrix& targets) {
    return tape_.loss(catalogue::Loss::mse, outputs, tape_.constant(targets));
  }

  std::mt19937 generator_{11};
  Session session_{backends::backend_named("naive"), backends::settings_for(1)};
  Tape tape_{session_, catalogue::Dtype::f64};

 private:
  void expect_slopes(const std::vector<Matrix>& parameters, const Model& model, std::size_t p,
                     const std::vector<double>& gradient) {
    std::vector<double> entries = read(parameters[p]);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double at = entries[i];
      const auto loss_at = [&](double x) {
        entries[i] = x;
        write(parameters[p], entries);
        return loss_of(parameters, model);
      };
      const double slope = (loss_at(at + 1e-5) - loss_at(at - 1e-5)) / 2e-5;
      loss_at(at);
      ASSERT_NEAR(gradient[i], slope, 1e-7 * std::max(1.0, std::abs(slope))) << "parameter " << p << " entry " << i;
    }
  }
};

}  // namespace gdbench::strategies::tape
