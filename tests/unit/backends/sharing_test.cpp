// Ops that several compute threads share: what one thread computes but for rounding, and the same bits in every run.
#include <cmath>
#include <vector>

#include "tests/support/few_cases.h"
#include "tests/support/implementations/backend_fixture.h"
#include "tests/support/implementations/plain_optimizer.h"

namespace gdbench::backends {
namespace {

// More threads than there are processors, and numbers that divide no shape below.
const std::vector<std::int32_t> kThreads =
    kFewCases ? std::vector<std::int32_t>{3} : std::vector<std::int32_t>{2, 3, 4, 8};

struct SharedOp {
  std::string name;
  Request request;
  std::vector<Dense> operands;  // as many as the request has, in any numbers
  std::size_t result;           // which operand
  double scale;                 // of expect_close
};

class SharingTest : public BackendTest {
 protected:
  const Backend& backend() const { return backend_named(GetParam().backend); }

  Dense random(std::int64_t rows, std::int64_t columns) { return random_matrix(generator_, rows, columns); }

  SharedOp product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b, double alpha,
                   double beta) {
    SharedOp op{"product", {}, {}, 2, static_cast<double>(k)};
    op.operands = {transpose_a ? random(k, m) : random(m, k), transpose_b ? random(n, k) : random(k, n), random(m, n)};
    op.request = request_of(Op::product, op.operands);
    op.request.transpose_a = transpose_a;
    op.request.transpose_b = transpose_b;
    op.request.alpha = alpha;
    op.request.beta = beta;
    return op;
  }

  SharedOp of_entries(Op kind, std::size_t count, std::size_t result) {
    SharedOp op{name_of(kind), {}, {}, result, 4};
    for (std::size_t i = 0; i < count; ++i) op.operands.push_back(random(1031, 131));
    op.request = request_of(kind, op.operands);
    return op;
  }

  Request request_of(Op op, const std::vector<Dense>& operands) const {
    std::vector<Operand> shapes;
    for (const Dense& operand : operands) shapes.push_back({operand.rows, operand.columns});
    return request(op, shapes);
  }

  std::vector<SharedOp> products() {
    return {product(517, 67, 61, false, false, 1, 0),   product(517, 67, 61, false, true, -0.5, 1),
            product(61, 67, 517, false, false, 1, 0.5), product(517, 67, 61, true, false, 2, 0.25),
            product(33, 129, 67, true, false, 1, 1),    product(67, 61, 517, true, false, 2, 0.25),
            product(9, 67, 301, false, false, 1, 0),    product(40009, 1, 7, false, false, 1, 0),
            product(7, 1, 40009, true, false, 1, 0),    product(100003, 1, 3, false, false, 1, 0.5),
            product(3, 1, 100003, true, false, -1, 1),  product(150001, 1, 1, false, false, 1, 0),
            product(1, 1, 150001, true, false, 1, 0),   product(1031, 131, 1, false, true, 1, 0),
            product(129, 10, 131, true, false, 1, 0),   product(1, 131, 1031, true, false, -0.5, 1)};
  }

  std::vector<SharedOp> entrywise() {
    std::vector<SharedOp> ops = {of_entries(Op::multiply, 3, 2), of_entries(Op::combine, 3, 2)};
    ops.back().request.alpha = 2;
    ops.back().request.beta = -0.25;
    for (const catalogue::Activation activation : catalogue::all_of<catalogue::Activation>()) {
      for (const Op kind : {Op::activation, Op::activation_gradient}) {
        ops.push_back(of_entries(kind, 2, 1));
        ops.back().request.activation = activation;
      }
    }
    SharedOp bias{"add_bias", {}, {random(1, 131), random(1031, 131)}, 1, 4};
    bias.request = request_of(Op::add_bias, bias.operands);
    SharedOp sum{"column_sum", {}, {random(1031, 131), random(1, 131)}, 1, 1031};
    sum.request = request_of(Op::column_sum, sum.operands);
    SharedOp one_sum{"column_sum of one column", {}, {random(150001, 1), random(1, 1)}, 1, 150001};
    one_sum.request = request_of(Op::column_sum, one_sum.operands);
    ops.insert(ops.end(), {bias, sum, one_sum});
    for (const catalogue::Loss loss : catalogue::all_of<catalogue::Loss>()) {
      if (catalogue::row_of(loss).couples_columns) continue;
      ops.push_back(of_entries(Op::loss_gradient, 3, 2));
      ops.back().request.loss = loss;
    }
    return ops;
  }

  // The result of an op twice, on so many threads; the threads must share it, where there are several.
  std::vector<Dense> results(const SharedOp& op, const gdbench_settings& settings) {
    const std::int32_t threads = settings.compute_threads;
    EXPECT_TRUE(threads == 1 || backend().shares(op.request, threads));
    TestContext context(backend(), GetParam().dtype, settings);
    std::vector<Dense> found;
    for (int run = 0; run < 2; ++run) {
      std::vector<Buffer> buffers;
      for (const Dense& operand : op.operands) buffers.push_back(context.upload(operand));
      context.run(op.request, buffers);
      const Dense& result = op.operands[op.result];
      found.push_back(context.download(buffers[op.result], result.rows, result.columns));
    }
    return found;
  }

  void expect_as_one_thread(const std::vector<SharedOp>& ops, const gdbench_option_value* option = nullptr) {
    if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
    for (const SharedOp& op : ops) {
      SCOPED_TRACE(testing::Message() << op.name << " " << op.operands[0].rows << "x" << op.operands[0].columns << " "
                                      << name_of(op.request.activation));
      const Dense expected = results(op, settings_for(1)).front();
      for (const std::int32_t threads : kThreads) {
        SCOPED_TRACE(testing::Message() << threads << " threads");
        gdbench_settings settings = settings_for(threads);
        settings.option_count = option == nullptr ? 0 : 1;
        settings.options = option;
        const std::vector<Dense> found = results(op, settings);
        EXPECT_EQ(found[0].values, found[1].values) << "differs from run to run";
        expect_close(found[0], expected, GetParam().dtype, op.scale);
      }
    }
  }
};

TEST_P(SharingTest, ProductsAreThoseOfOneThread) { expect_as_one_thread(products()); }

TEST_P(SharingTest, OtherOpsAreThoseOfOneThread) { expect_as_one_thread(entrywise()); }

TEST_P(SharingTest, TheLibrarysOwnThreadsComputeTheSame) {
  if (backend().option_count == 0) GTEST_SKIP() << "its library has no threads";
  const gdbench_option_value library = {"sharing", "library"};
  try {
    gdbench_settings two = settings_for(2);
    two.option_count = 1;
    two.options = &library;
    const TestContext context(backend(), GetParam().dtype, two);
  } catch (const std::runtime_error& refusal) {
    if (GetParam().backend == "blas") GTEST_SKIP() << refusal.what();  // by what is installed
  }
  expect_as_one_thread(products(), &library);
  expect_as_one_thread(entrywise(), &library);
  gdbench_settings one = settings_for(1);
  one.option_count = 1;
  one.options = &library;
  EXPECT_THROW(TestContext(backend(), GetParam().dtype, one), std::runtime_error);
}

// Which writes weights, slots and nothing else; the scalars are everybody's.
TEST_P(SharingTest, UpdatesAreThoseOfOneThread) {
  if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  const std::vector<double> rates = {0.25};
  for (const OptimizerCase& values : optimizer_cases()) {
    SCOPED_TRACE(name_of(values.kind));
    const gdbench_optimizer optimizer = optimizer_of(values, rates);
    const std::size_t slots = catalogue::slot_count(values.kind);
    std::vector<Operand> shapes(3 + slots, {1, 70001});
    shapes[1] = {1, 1};
    Request update = request(Op::update, shapes);
    update.optimizer = &optimizer;
    std::vector<Dense> operands;
    for (const Operand& shape : shapes) operands.push_back(random(shape.rows, shape.columns));
    for (std::size_t slot = 3; slot < operands.size(); ++slot) {
      for (double& value : operands[slot].values) value = std::abs(value);
    }
    std::vector<Dense> expected;
    for (const std::int32_t threads : {1, 2, 3, 8}) {
      TestContext context(backend(), GetParam().dtype, settings_for(threads));
      EXPECT_TRUE(threads == 1 || backend().shares(update, threads));
      std::vector<Buffer> buffers;
      for (const Dense& operand : operands) buffers.push_back(context.upload(operand));
      const UpdateScalars scalars{.learning_rate = 0.25, .gradient_factor = 0.5};
      buffers[1] = context.upload_bytes(&scalars, sizeof(scalars));
      context.run(update, buffers);
      for (std::size_t i = 2; i < operands.size(); ++i) {
        const Dense found = context.download(buffers[i], 1, 70001);
        if (threads == 1) {
          expected.push_back(found);
        } else {
          expect_close(found, expected[i - 2], GetParam().dtype, 4);
        }
      }
    }
  }
}

// C -= learning rate times A' B, of which only one part may take C.
TEST_P(SharingTest, UpdatesInAProductAreThoseOfOneThread) {
  if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  for (SharedOp op : {product(67, 61, 517, true, false, 1, 0), product(517, 67, 61, true, false, 1, 0),
                      product(67, 61, 517, false, false, 1, 0), product(517, 67, 61, false, false, 1, 0)}) {
    op.request.operands[op.request.operand_count++] = {1, 1};
    op.request.epilogue_update = true;
    op.request.optimizer = &plain_sgd();
    Dense expected;
    for (const std::int32_t threads : {1, 2, 3, 8}) {
      TestContext context(backend(), GetParam().dtype, settings_for(threads));
      std::vector<Buffer> buffers;
      for (const Dense& operand : op.operands) buffers.push_back(context.upload(operand));
      const UpdateScalars scalars{.learning_rate = 0.125};
      buffers.push_back(context.upload_bytes(&scalars, sizeof(scalars)));
      context.run(op.request, buffers);
      const Dense found = context.download(buffers[2], op.operands[2].rows, op.operands[2].columns);
      if (threads == 1) expected = found;
      expect_close(found, expected, GetParam().dtype, op.scale);
    }
  }
}

TEST_P(SharingTest, LossesAreThoseOfOneThread) {
  if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  for (const catalogue::Loss loss : catalogue::all_of<catalogue::Loss>()) {
    SCOPED_TRACE(name_of(loss));
    const bool labels = catalogue::row_of(loss).targets == catalogue::Targets::labels;
    const Dense outputs = random(1031, 131);
    const Dense targets = random(1031, 131);
    std::vector<std::int32_t> classes;
    for (std::int32_t row = 0; row < 1031; ++row) classes.push_back(row * 7 % 131);
    double expected = 0;
    Dense expected_gradient;
    for (const std::int32_t threads : {1, 2, 3, 8}) {
      TestContext context(backend(), GetParam().dtype, settings_for(threads));
      Request value = request(Op::loss, {{1031, 131}, {1031, labels ? 1 : 131}, {1, 1}});
      value.loss = loss;
      value.alpha = 0.25;
      const double zero = 0;
      const Buffer sum = context.upload_bytes(&zero, sizeof(zero));
      const Buffer given =
          labels ? context.upload_bytes(classes.data(), classes.size() * sizeof(classes[0])) : context.upload(targets);
      const Buffer predictions = context.upload(outputs);
      context.run(value, {predictions, given, sum});
      const double found = context.download_double(sum);
      context.run(value, {predictions, given, sum});
      EXPECT_EQ(context.download_double(sum), found) << "differs from run to run";
      Request gradient = value;
      gradient.op = Op::loss_gradient;
      gradient.operands[2] = {1031, 131};
      context.run(gradient, {predictions, given, predictions});  // in place
      const Dense found_gradient = context.download(predictions, 1031, 131);
      if (threads == 1) {
        expected = found;
        expected_gradient = found_gradient;
      }
      EXPECT_NEAR(found, expected, std::abs(expected) * 1e-6);
      expect_close(found_gradient, expected_gradient, GetParam().dtype, 1);
    }
  }
}

TEST_P(SharingTest, LeavesSmallOpsToOneThread) {
  if (backend().shares == nullptr) GTEST_SKIP() << "its ops are not shared";
  EXPECT_FALSE(backend().shares(product(3, 1, 2, false, false, 1, 0).request, 2));
  EXPECT_FALSE(backend().shares(product(2, 700, 700, false, true, 1, 0).request, 8)) << "fewer rows than threads";
  EXPECT_FALSE(backend().shares(product(300, 301, 302, true, true, 1, 0).request, 2)) << "not contiguous";
  const SharedOp small = product(3, 1, 2, false, false, 1, 0);
  TestContext context(backend(), GetParam().dtype, settings_for(8));
  const Buffer result = context.upload(small.operands[2]);
  context.run(small.request, {context.upload(small.operands[0]), context.upload(small.operands[1]), result});
  Dense expected(3, 1);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t p = 0; p < 2; ++p) expected.at(i, 0) += small.operands[0].at(i, p) * small.operands[1].at(p, 0);
  }
  expect_close(context.download(result, 3, 1), expected, GetParam().dtype, 4);
}

INSTANTIATE_TEST_SUITE_P(Backends, SharingTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
