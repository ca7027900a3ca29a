// Every op of every backend and dtype: what plain loops and naive kernels in double write, or null leaves.
#include <filesystem>
#include <iterator>
#include <tuple>

#include "harness/verify/muon.h"
#include "harness/verify/norms.h"
#include "implementations/strategies/hand/hand.h"
#include "tests/support/implementations/training_case.h"
#include "tests/unit/backends/op_maker.h"

namespace gdbench::backends {
namespace {

// Unit dimensions, tiny and prime ones, those of the scenarios, and some beyond one block of Eigen's product.
constexpr Shape kShapes[] = {{1, 1, 1},    {1, 1, 17},    {3, 1, 2},      {2, 1, 3},    {1, 5, 1},     {7, 1, 1},
                             {4, 6, 1},    {1, 9, 7},     {1, 23, 41},    {37, 1, 19},  {300, 1, 10},  {10, 1, 300},
                             {2, 3, 4},    {5, 5, 5},     {7, 11, 13},    {17, 31, 23}, {50, 1, 1000}, {32, 128, 784},
                             {10, 50, 97}, {128, 10, 32}, {67, 129, 301}, {1, 16, 16},  {1, 17, 17}};
// By a device's ways of making products: a thread to an entry, a tree, a tree whose rows several blocks share, BLAS.
constexpr Shape kLayers[] = {{1, 1, 1},      {3, 1, 2},     {7, 3, 5},      {32, 10, 17},
                             {1000, 50, 10}, {20000, 3, 5}, {300, 101, 97}, {129, 130, 67}};
constexpr std::pair<std::int64_t, std::int64_t> kMatrices[] = {{1, 1},   {1, 7},   {5, 1},   {3, 2},
                                                               {13, 17}, {32, 10}, {101, 50}};

bool is_offered(const Backend& backend, const Request& request) {
  const auto has = [&](std::uint32_t flags) { return (backend.flags & flags) != 0; };
  if (request.op == Op::gather) return has(kDevice);
  if (request.operands[0].layout == Layout::sparse_csr && !has(kSparse)) return false;
  const bool normalizes =
      request.op == Op::scale_columns || request.op == Op::normalize || request.op == Op::normalize_gradient;
  if (normalizes) return !has(kDevice);
  if (request.epilogue_update) {
    const bool is_plain = request.operand_count == 4 && request.optimizer->weight_decay == 0;
    return has(is_plain ? kEpilogueUpdate | kEpilogueLayerUpdate : kEpilogueLayerUpdate);
  }
  if (request.epilogue_activation_gradient || request.epilogue_loss_gradient) return has(kEpilogueGradients);
  if (request.epilogue_bias && !has(kEpilogueBias)) return false;
  return request.epilogue_activation == catalogue::Activation::identity || has(kEpilogueActivation);
}

class OpsTest : public BackendTest {
 protected:
  void check(const OpCase& op) {
    SCOPED_TRACE(text_of(op));
    const Request bound = request_of(op, GetParam().dtype);
    if (!is_offered(backend(), bound)) {
      EXPECT_EQ(context_.bind_status(bound), GDBENCH_UNSUPPORTED);
      return;
    }
    expect_results(op, GetParam().dtype, results_of(context_, op), expected_of(op, GetParam().dtype));
  }

  OpMaker make_;
};

TEST_P(OpsTest, Products) {
  std::vector<Shape> shapes(std::begin(kShapes), std::end(kShapes));
  std::mt19937 generator(3);
  std::uniform_int_distribution<std::int64_t> size(1, 40);
  for (int i = 0; i < 20; ++i) shapes.push_back({size(generator), size(generator), size(generator)});
  for (const Shape& shape : shapes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), {-0.5, 1.0}, {2.0, 0.25}}) {
          check(make_.product(shape, transpose_a, transpose_b, alpha, beta));
        }
      }
    }
  }
}

TEST_P(OpsTest, ProductsOfSparseRows) {
  if (catalogue::is_mixed(GetParam().dtype)) GTEST_SKIP() << "csr features are of uniform dtypes";
  constexpr Shape kSparseShapes[] = {{1, 1, 1},   {3, 1, 2},    {5, 4, 1},   {1, 5, 7},
                                     {40, 1, 30}, {33, 17, 50}, {9, 64, 100}};
  for (const Shape& shape : kSparseShapes) {
    for (const double density : {0.0, 0.1, 0.6, 1.0}) {
      for (const bool transpose : {false, true}) {
        for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), {-0.5, 1.0}, {2.0, 0.25}}) {
          check(make_.sparse_product(shape, density, transpose, alpha, beta));
        }
      }
    }
  }
  const OpOptimizer sgd({catalogue::OptimizerKind::sgd, 0, false});
  check(make_.layer_update(make_.sparse_product({30, 6, 20}, 0.2, true), sgd.abi, false));
}

// f(alpha op(A) op(B) + beta C + b), with and without the bias.
TEST_P(OpsTest, ProductsThatEndInABiasAndAnActivation) {
  for (const Shape& shape : kShapes) {
    for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
      for (const auto& [bias, alpha, beta] : {std::tuple(true, 1.0, 0.0), {true, -0.5, 0.25}, {false, 2.0, 1.0}}) {
        OpCase op = make_.product(shape, false, true, alpha, beta);
        op.request.epilogue_bias = bias;
        op.request.epilogue_activation = activation;
        if (bias) op.operands.push_back({make_.random(1, shape.n)});
        if (bias || activation != catalogue::Activation::identity) check(op);
      }
    }
  }
}

TEST_P(OpsTest, ProductsThatEndInTheGradientOfAnActivation) {
  for (const auto& [rows, outputs, inputs] : kLayers) {
    for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
      OpCase op = make_.product({rows, inputs, outputs}, false, true, 0.5);
      op.request.activation = activation;
      op.request.epilogue_activation_gradient = true;
      op.operands.push_back({make_.random(rows, inputs)});
      check(op);
    }
  }
}

TEST_P(OpsTest, ProductsThatEndInTheGradientOfALoss) {
  for (const Shape& shape : kLayers) {
    for (const catalogue::Loss loss : catalogue::all_of<catalogue::Loss>()) {
      for (const bool bias : {false, true}) {
        OpCase op = make_.product(shape, false, false, 0.25);
        op.request.loss = {loss, 0.5};
        op.request.epilogue_bias = bias;
        op.request.epilogue_loss_gradient = true;
        if (bias) op.operands.push_back({make_.random(1, shape.n)});
        op.operands.push_back({make_.random(shape.m, shape.n)});
        if (catalogue::row_of(loss).couples_columns) {
          EXPECT_EQ(context_.bind_status(request_of(op, GetParam().dtype)), GDBENCH_INVALID);
        } else {
          check(op);
        }
      }
    }
  }
}

TEST_P(OpsTest, ProductsThatEndInAnUpdate) {
  for (const OptimizerCase& values : optimizer_cases()) {
    if (values.kind == catalogue::OptimizerKind::lion) continue;  // a sign may turn by a rounding
    const OpOptimizer optimizer(values);
    for (const auto& [rows, outputs, inputs] : kLayers) {
      // The rule of an element is the same for every origin of its gradient.
      if (rows != kLayers[2].m && values.weight_decay != 0) continue;
      for (const bool bias : {false, true}) {
        check(make_.layer_update(make_.product({inputs, outputs, rows}, true, false), optimizer.abi, bias));
      }
    }
  }
  const OpOptimizer sgd({catalogue::OptimizerKind::sgd, 0, false});
  for (const Shape& shape : kShapes) {
    check(make_.layer_update(make_.product(shape, true, false), sgd.abi, false));
    check(make_.layer_update(make_.product(shape, false, true), sgd.abi, false));
  }
}

// Below, at and above the widths of vectors, and beyond what a loop over them unrolls; also where there is no gradient,
// and Adam's epsilon keeps parameters where they are.
TEST_P(OpsTest, Updates) {
  for (const OptimizerCase& values : optimizer_cases()) {
    const OpOptimizer optimizer(values);
    for (const std::int64_t size : {1, 3, 4, 7, 8, 15, 16, 17, 33, 100, 601}) check(make_.update(optimizer.abi, size));
    OpCase still = make_.update(optimizer.abi, 19);
    for (std::size_t i = 0; i < still.operands.size(); ++i) {
      if (i != 1 && i != 2) still.operands[i].values = Dense(1, 19);
    }
    check(still);
    if (values.weight_decay != 0) continue;
    EXPECT_EQ(results_of(context_, still)[0].values, still.operands[2].values.values);
  }
}

// Wide, tall and square ones, and what has one singular value. The second slot stays what it was.
TEST_P(OpsTest, UpdatesOfMatrices) {
  if (catalogue::is_mixed(GetParam().dtype)) GTEST_SKIP() << "muon is of uniform dtypes";
  const OpOptimizer muon({catalogue::OptimizerKind::muon, 0.125, false});
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {1, 7},
                                      {5, 1},
                                      {3, 2},
                                      {13, 13},
                                      {13, 17},
                                      {64, 48},
                                      {101, 50},
                                      {130, 257}}) {
    const OpCase op = make_.matrix_update(muon.abi, rows, columns);
    SCOPED_TRACE(text_of(op));
    const Request bound = request_of(op, GetParam().dtype);
    if ((backend().flags & kDevice) != 0) {
      EXPECT_EQ(context_.bind_status(bound), GDBENCH_UNSUPPORTED);
      continue;
    }
    std::vector<double> weights = op.operands[2].values.values;
    std::vector<double> momentum = op.operands[3].values.values;
    verify::MovedMatrix moved = {rows, columns};
    verify::move_matrix(muon.rule, 0.125, op.operands[0].values.values, weights, momentum, moved);
    const std::vector<Dense> found = results_of(context_, op);
    const double epsilon = catalogue::epsilon_of(GetParam().dtype);
    EXPECT_LT(verify::distance(found[0].values, weights), 2 * epsilon * verify::own_rounding(0.125, moved));
    EXPECT_LT(verify::distance(found[1].values, momentum), 4 * epsilon * verify::norm(momentum));
    EXPECT_LT(verify::distance(found[2].values, op.operands[4].values.values), 1e-6 * moved.norm);
  }
}

TEST_P(OpsTest, OthersApartAndInPlace) {
  for (const auto& [rows, columns] : kMatrices) {
    for (OpCase& op : make_.others(rows, columns)) {
      check(op);
      for (const std::size_t place : places_of(op)) {
        op.aliases = {{op.results[0], place}};
        check(op);
      }
    }
  }
}

TEST_P(OpsTest, ReadsNoOperandOfAFactorOfZero) {
  OpCase copy = make_.entrywise(Op::combine, 3, 13, 17);
  copy.request.beta = 0;
  copy.operands[1].values.values[0] = std::numeric_limits<double>::quiet_NaN();
  check(copy);
}

TEST_P(OpsTest, LossesOfLargeOutputsAreFinite) {
  OpCase large = make_.loss(catalogue::Loss::softmax_cross_entropy, false, 1, 3);
  large.operands[0].values.values = {1000, 999, -1000};
  EXPECT_NEAR(results_of(context_, large)[0].values[0], 1 + std::log1p(std::exp(-1.0)), 1e-6);
}

// Devices gather rows by themselves; on a CPU the loader does.
TEST_P(OpsTest, GathersRowsOrSaysThatItDoesNot) {
  for (const auto& [rows, count, columns] : {std::tuple(4, 3, 2), {1, 5, 1}, {97, 300, 7}, {9, 1, 784}}) {
    OpCase op;
    op.request.op = Op::gather;
    op.operands = {{make_.random(rows, columns)}, {Dense(count, 1), Content::whole_numbers}, {Dense(count, columns)}};
    for (std::int64_t i = 0; i < count; ++i) op.operands[1].values.at(i, 0) = static_cast<double>(5 * i % rows);
    op.results = {2};
    check(op);
  }
}

// Buffers need not be aligned: a batch may start at any row.
TEST_P(OpsTest, TakesUnalignedSlices) {
  OpCase op = make_.product({8, 5, 7}, false, false);
  const Dense above = make_.random(1, 7);
  Dense whole(9, 7);
  std::ranges::copy(op.operands[0].values.values, std::ranges::copy(above.values, whole.values.begin()).out);
  const Buffer slice = backend().slice(context_.upload(whole), 7 * catalogue::size_of(GetParam().dtype));
  const Buffer c = context_.upload(op.operands[2].values);
  context_.run(request_of(op, GetParam().dtype), {slice, context_.upload(op.operands[1].values), c});
  expect_close(context_.download(c, 8, 5), expected_of(op, GetParam().dtype)[0], GetParam().dtype, op.scale);
}

// A backend has the compute threads that it was asked for; helpers would spin while the one that is timed works.
TEST_P(OpsTest, StartsNoThreads) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  check(make_.product({20000, 1, 32}, false, false));
  check(make_.product({160, 170, 180}, true, false));
  EXPECT_EQ(threads(), before);
}

TEST_P(OpsTest, RefusesWhatDoesNotFit) {
  const Operand csr = {2, 3, Layout::sparse_csr, 1};
  struct Refusal {
    Op op;
    std::vector<Operand> operands;
    gdbench_status status = GDBENCH_INVALID;
  };
  const Refusal refusals[] = {
      {Op::product, {{2, 3}, {3, 5}}},
      {Op::product, {{0, 3}, {3, 5}, {0, 5}}},
      {Op::multiply, {{2, 3}, {2, 3}, {3, 2}}},
      {Op::combine, {{2, 3}, {3, 2}, {2, 3}}},
      {Op::update, {{1, 4}, {1, 1}, {1, 4}}},  // without an optimizer
      {Op::product, {{2, 3}, {3, 5, Layout::sparse_csr}, {2, 5}}, GDBENCH_UNSUPPORTED},
      {Op::column_sum, {csr, {1, 3}}, GDBENCH_UNSUPPORTED},
  };
  for (const auto& [op, operands, status] : refusals) {
    EXPECT_EQ(context_.bind_status(request(op, operands)), status) << name_of(op);
  }
  Request transposed = request(Op::product, {csr, {5, 3}, {2, 5}});
  transposed.transpose_b = true;
  EXPECT_EQ(context_.bind_status(transposed), GDBENCH_UNSUPPORTED);
  EXPECT_EQ(context_.bind_status(request(Op::product, {{2, 3}, {4, 5}, {2, 5}})), GDBENCH_INVALID);
  EXPECT_NE(context_.error().find("4x5"), std::string::npos) << context_.error();
}

TEST_P(OpsTest, RefusesUpdatesThatDoNotFit) {
  const OpOptimizer adam({catalogue::OptimizerKind::adam, 0, false});
  const OpOptimizer sgd({catalogue::OptimizerKind::sgd, 0, false});
  Request update = request(Op::update, {{1, 4}, {1, 1}, {1, 4}, {1, 4}});
  for (const OpOptimizer* optimizer : {&adam, &sgd}) {  // of two slots, and of none
    update.optimizer = &optimizer->abi;
    EXPECT_EQ(context_.bind_status(update), GDBENCH_INVALID);
  }
  Request product = request(Op::product, {{4, 2}, {4, 3}, {2, 3}, {1, 1}, {2, 3}, {2, 3}});
  product.transpose_a = true;
  product.epilogue_update = true;
  EXPECT_EQ(context_.bind_status(product), GDBENCH_INVALID) << "no optimizer";
  product.optimizer = &adam.abi;
  EXPECT_EQ(context_.bind_status(product), offers(kEpilogueLayerUpdate) ? GDBENCH_OK : GDBENCH_UNSUPPORTED);
  const std::pair<const char*, void (*)(Request&)> mistakes[] = {
      {"a slot of another shape",
       [](Request& wrong) {
         wrong.operands[5] = {1, 3};
       }},
      {"no bias", [](Request& wrong) { wrong.epilogue_bias = true; }},
      {"two epilogues", [](Request& wrong) { wrong.epilogue_activation_gradient = true; }},
      {"an activation behind it", [](Request& wrong) { wrong.epilogue_activation = catalogue::Activation::relu; }}};
  for (const auto& [name, mistake] : mistakes) {
    Request wrong = product;
    mistake(wrong);
    EXPECT_EQ(context_.bind_status(wrong), GDBENCH_INVALID) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, OpsTest, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Mixed, OpsTest, testing::ValuesIn(mixed_cases()), case_name);

// Binds everything, checks shapes, computes nothing, keeps what it was given.
class NullTest : public testing::TestWithParam<catalogue::Dtype> {
 protected:
  TestContext context_{backend_named("null"), GetParam()};
  OpMaker make_;
};

TEST_P(NullTest, TakesEveryOpAndLeavesItsOperandsAsTheyWere) {
  const OpOptimizer adam({catalogue::OptimizerKind::adam, 0, false});
  OpCase gather = make_.entrywise(Op::gather, 3, 3, 4);
  gather.operands[1] = {Dense(3, 1), Content::whole_numbers};
  OpCase fused = make_.product({3, 4, 2}, false, false, 1, 1);
  fused.operands.push_back({make_.random(1, 4)});
  fused.request.epilogue_bias = true;
  fused.request.epilogue_activation = catalogue::Activation::tanh;
  std::vector<OpCase> ops = make_.others(3, 4);
  for (const OpCase& op : {make_.product({3, 4, 2}, false, false, 1, 1), fused, gather, make_.update(adam.abi, 12)}) {
    ops.push_back(op);
  }
  for (const OpCase& op : ops) {
    SCOPED_TRACE(text_of(op));
    const std::vector<Dense> found = results_of(context_, op);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].values, op.operands[op.results[i]].values.values);
    }
  }
  EXPECT_EQ(context_.bind_status(request_of(GetParam(), Op::column_sum, {{3, 4}, {1, 3}})), GDBENCH_INVALID);
}

TEST_P(NullTest, AStrategyGetsBackTheStateThatItSet) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam(), .rows = 5, .batch_rows = 5});
  const Backend& backend = backend_named("null");
  EXPECT_NE(backend.flags & kNoArithmetic, 0U);
  const auto strategy =
      strategies::hand::kDescriptor.create({backend, training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  strategy->run(3);
  strategy->get_state(training.state());
  EXPECT_EQ(training.state().step, 3);
  expect_near(training.state_values(), training.initial(), 0);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, NullTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64));

}  // namespace
}  // namespace gdbench::backends
