// A product that ends in a gradient or in the update of a layer against the same by an op for each, which other tests
// compare with plain loops.
#include <cmath>
#include <optional>

#include "tests/support/implementations/backend_fixture.h"
#include "tests/support/implementations/plain_optimizer.h"

namespace gdbench::backends {
namespace {

struct LayerShape {
  std::int64_t rows, inputs, outputs;
};

// By a device's ways of making products: a thread to an entry, a tree, a tree whose rows several blocks share, BLAS.
constexpr LayerShape kLayers[] = {{1, 1, 1},      {3, 2, 1},     {7, 5, 3},      {32, 17, 10},
                                  {1000, 10, 50}, {20000, 5, 3}, {300, 97, 101}, {129, 67, 130}};

class ProductEpiloguesTest : public BackendTest {
 protected:
  bool offers(BackendFlag flag) const { return (backend_named(GetParam().backend).flags & flag) != 0; }

  void expect_same(Buffer actual, Buffer expected, std::int64_t rows, std::int64_t columns, double scale) {
    expect_close(context_.download(actual, rows, columns), context_.download(expected, rows, columns), GetParam().dtype,
                 scale);
  }
};

TEST_P(ProductEpiloguesTest, GradientOfAnActivation) {
  for (const auto& [rows, inputs, outputs] : kLayers) {
    for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
      Request product = request(Op::product, {{rows, outputs}, {inputs, outputs}, {rows, inputs}, {rows, inputs}});
      product.transpose_b = true;
      product.alpha = 0.5;
      product.activation = activation;
      product.epilogue_activation_gradient = true;
      if (!offers(kEpilogueGradients)) {
        ASSERT_EQ(context_.bind_status(product), GDBENCH_UNSUPPORTED);
        continue;
      }
      const Buffer d = context_.upload(random_matrix(generator_, rows, outputs));
      const Buffer w = context_.upload(random_matrix(generator_, inputs, outputs));
      const Buffer told = context_.upload(random_matrix(generator_, rows, inputs));
      const Buffer found = context_.upload(Dense(rows, inputs));
      const Buffer expected = context_.upload(Dense(rows, inputs));
      context_.run(product, {d, w, found, told});
      Request plain = request(Op::product, {{rows, outputs}, {inputs, outputs}, {rows, inputs}});
      plain.transpose_b = true;
      plain.alpha = 0.5;
      context_.run(plain, {d, w, expected});
      Request gradient = request(Op::activation_gradient, {{rows, inputs}, {rows, inputs}});
      gradient.activation = activation;
      context_.run(gradient, {told, expected});
      SCOPED_TRACE(testing::Message() << rows << "x" << inputs << "x" << outputs << " " << name_of(activation));
      expect_same(found, expected, rows, inputs, static_cast<double>(outputs) + 1);
    }
  }
}

TEST_P(ProductEpiloguesTest, GradientOfALoss) {
  for (const auto& [rows, inputs, outputs] : kLayers) {
    for (const catalogue::Loss loss : catalogue::all_of<catalogue::Loss>()) {
      for (const bool bias : {false, true}) {
        Request product = request(Op::product, {{rows, inputs}, {inputs, outputs}, {rows, outputs}});
        if (bias) product.operands[product.operand_count++] = {1, outputs};
        product.operands[product.operand_count++] = {rows, outputs};
        product.alpha = 0.25;
        product.loss = {loss, 0.5};
        product.epilogue_bias = bias;
        product.epilogue_loss_gradient = true;
        if (catalogue::row_of(loss).couples_columns) {
          ASSERT_EQ(context_.bind_status(product), GDBENCH_INVALID);
          continue;
        }
        if (!offers(kEpilogueGradients)) {
          ASSERT_EQ(context_.bind_status(product), GDBENCH_UNSUPPORTED);
          continue;
        }
        const Buffer x = context_.upload(random_matrix(generator_, rows, inputs));
        const Buffer w = context_.upload(random_matrix(generator_, inputs, outputs));
        const Buffer b = context_.upload(random_matrix(generator_, 1, outputs));
        const Buffer y = context_.upload(random_matrix(generator_, rows, outputs));
        const Buffer found = context_.upload(Dense(rows, outputs));
        const Buffer expected = context_.upload(Dense(rows, outputs));
        context_.run(product, bias ? std::vector<Buffer>{x, w, found, b, y} : std::vector<Buffer>{x, w, found, y});
        context_.run(request(Op::product, {{rows, inputs}, {inputs, outputs}, {rows, outputs}}), {x, w, expected});
        if (bias) context_.run(request(Op::add_bias, {{1, outputs}, {rows, outputs}}), {b, expected});
        Request gradient = request(Op::loss_gradient, {{rows, outputs}, {rows, outputs}, {rows, outputs}});
        gradient.alpha = 0.25;
        gradient.loss = product.loss;
        context_.run(gradient, {expected, y, expected});
        SCOPED_TRACE(testing::Message() << rows << "x" << inputs << "x" << outputs << " " << name_of(loss));
        expect_same(found, expected, rows, outputs, static_cast<double>(inputs) + 2);
      }
    }
  }
}

class LayerUpdateTest : public BackendTest {
 protected:
  bool offered() const { return (backend_named(GetParam().backend).flags & kEpilogueLayerUpdate) != 0; }

  // Values and slots of a parameter, twice.
  struct Parameter {
    std::int64_t rows, columns;
    std::vector<Buffer> found, expected;
  };

  Parameter parameter(std::int64_t rows, std::int64_t columns, std::size_t slots) {
    Parameter made{rows, columns, {}, {}};
    for (std::size_t i = 0; i <= slots; ++i) {
      Dense start = random_matrix(generator_, rows, columns);
      for (double& value : start.values) value = i == 0 ? value : std::abs(value);  // some slots are sums of squares
      made.found.push_back(fresh_->upload(start));
      made.expected.push_back(fresh_->upload(start));
    }
    return made;
  }

  void update_by_itself(const gdbench_optimizer& optimizer, Buffer gradient, Buffer scalars,
                        const Parameter& parameter) {
    std::vector<Operand> operands(3 + parameter.expected.size() - 1, {parameter.rows, parameter.columns});
    operands[1] = {1, 1};
    Request update = request(Op::update, operands);
    update.optimizer = &optimizer;
    std::vector<Buffer> buffers = {gradient, scalars};
    buffers.insert(buffers.end(), parameter.expected.begin(), parameter.expected.end());
    fresh_->run(update, buffers);
  }

  void check(const LayerShape& layer, const gdbench_optimizer& optimizer, std::size_t slots, bool has_bias) {
    const auto& [rows, inputs, outputs] = layer;
    // A device of each case's own, so that one does not fill with all of them.
    fresh_.emplace(backend_named(GetParam().backend), GetParam().dtype);
    const Buffer x = fresh_->upload(random_matrix(generator_, rows, inputs));
    const Buffer d = fresh_->upload(random_matrix(generator_, rows, outputs));
    const UpdateScalars values{0.125, 1.5, 2, 0.75};
    const Buffer scalars = fresh_->upload_bytes(&values, sizeof(values));
    const Parameter weights = parameter(inputs, outputs, slots);
    const Parameter bias = parameter(1, outputs, slots);

    std::vector<Operand> operands = {{rows, inputs}, {rows, outputs}, {inputs, outputs}, {1, 1}};
    operands.resize(4 + slots, {inputs, outputs});
    if (has_bias) operands.resize(operands.size() + 1 + slots, {1, outputs});
    Request product = request(Op::product, operands);
    product.transpose_a = true;
    product.optimizer = &optimizer;
    product.epilogue_update = true;
    product.epilogue_bias = has_bias;
    if (!offered()) {
      if (!has_bias && slots == 0) return;  // it may offer this much
      EXPECT_EQ(fresh_->bind_status(product), GDBENCH_UNSUPPORTED);
      return;
    }
    std::vector<Buffer> buffers = {x, d, weights.found[0], scalars};
    buffers.insert(buffers.end(), weights.found.begin() + 1, weights.found.end());
    if (has_bias) buffers.insert(buffers.end(), bias.found.begin(), bias.found.end());
    for (int step = 0; step < 2; ++step) fresh_->run(product, buffers);

    const Buffer gradient = fresh_->upload(Dense(inputs, outputs));
    const Buffer sums = fresh_->upload(Dense(1, outputs));
    Request plain = request(Op::product, {{rows, inputs}, {rows, outputs}, {inputs, outputs}});
    plain.transpose_a = true;
    fresh_->run(plain, {x, d, gradient});
    fresh_->run(request(Op::column_sum, {{rows, outputs}, {1, outputs}}), {d, sums});
    for (int step = 0; step < 2; ++step) {
      update_by_itself(optimizer, gradient, scalars, weights);
      if (has_bias) update_by_itself(optimizer, sums, scalars, bias);
    }
    const double magnitude = static_cast<double>(rows) + 1;
    for (std::size_t i = 0; i <= slots; ++i) {
      // A slot may be a sum of squares.
      const double scale = i == 0 ? magnitude : magnitude * magnitude;
      expect_same(weights.found[i], weights.expected[i], weights, scale);
      expect_same(bias.found[i], bias.expected[i], bias, scale);
    }
  }

  void expect_same(Buffer found, Buffer expected, const Parameter& of, double scale) {
    expect_close(fresh_->download(found, of.rows, of.columns), fresh_->download(expected, of.rows, of.columns),
                 GetParam().dtype, scale);
  }

  std::optional<TestContext> fresh_;
};

TEST_P(LayerUpdateTest, FollowsEveryRule) {
  const std::vector<double> rates = {0.125};
  for (const OptimizerCase& values : optimizer_cases()) {
    if (values.kind == catalogue::OptimizerKind::lion) continue;  // a sign may turn by a rounding
    if (catalogue::is_mixed(GetParam().dtype) && slot_count(values.kind) != 0) continue;  // gradients alone differ
    const gdbench_optimizer optimizer = optimizer_of(values, rates);
    for (const LayerShape& layer : kLayers) {
      // The rule of an element is the same whatever made its gradient.
      if (layer.rows != kLayers[2].rows && values.weight_decay != 0) continue;
      for (const bool has_bias : {false, true}) {
        SCOPED_TRACE(testing::Message() << name_of(values.kind) << " " << layer.rows << "x" << layer.inputs << "x"
                                        << layer.outputs << " bias " << has_bias);
        check(layer, optimizer, slot_count(values.kind), has_bias);
      }
    }
  }
}

TEST_P(LayerUpdateTest, RefusesWhatDoesNotFit) {
  const std::vector<double> rates = {0.125};
  const gdbench_optimizer adam = optimizer_of({catalogue::OptimizerKind::adam, 0, false}, rates);
  Request product = request(Op::product, {{4, 2}, {4, 3}, {2, 3}, {1, 1}, {2, 3}, {2, 3}});
  product.transpose_a = true;
  product.epilogue_update = true;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID) << "no optimizer";
  product.optimizer = &adam;
  EXPECT_EQ(context_.bind_status(product), offered() ? GDBENCH_OK : GDBENCH_UNSUPPORTED);
  product.operands[5] = {1, 3};
  EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID) << "a slot of another shape";
  product.operands[5] = {2, 3};
  product.epilogue_bias = true;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID) << "no bias";
  product.epilogue_bias = false;
  product.epilogue_activation_gradient = true;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID) << "two epilogues";
}

INSTANTIATE_TEST_SUITE_P(Backends, ProductEpiloguesTest, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Backends, LayerUpdateTest, testing::ValuesIn(all_cases()), case_name);
// A product's epilogue rounds what the op by itself does.
INSTANTIATE_TEST_SUITE_P(Mixed, ProductEpiloguesTest, testing::ValuesIn(mixed_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Mixed, LayerUpdateTest, testing::ValuesIn(mixed_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
