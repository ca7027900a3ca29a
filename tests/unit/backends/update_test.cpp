// Every optimizer's update on every backend against the rules in long double.
#include <cmath>
#include <limits>

#include "tests/support/implementations/backend_fixture.h"
#include "tests/support/implementations/plain_optimizer.h"

namespace gdbench::backends {
namespace {

// Below, at and above the widths of vectors, and beyond what a loop over them unrolls.
constexpr std::int64_t kSizes[] = {1, 3, 4, 7, 8, 15, 16, 17, 33, 100, 601};
constexpr std::int64_t kSteps = 5;

const std::vector<double> kRate = {0.25};

class UpdateTest : public BackendTest {
 protected:
  double epsilon() const {
    return GetParam().dtype == catalogue::Dtype::f32 ? std::numeric_limits<float>::epsilon()
                                                     : std::numeric_limits<double>::epsilon();
  }

  Request update(const gdbench_optimizer& optimizer, std::int64_t size, std::size_t slots) const {
    std::vector<Operand> operands = {{1, size}, {1, 1}, {1, size}};
    operands.resize(3 + slots, {1, size});
    Request call = request(Op::update, operands);
    call.optimizer = &optimizer;
    return call;
  }

  // Relative to `scale`, the magnitude of what is added up, or to the entry where all that is added is positive.
  void expect_near(const Dense& actual, const PlainOptimizer::Values& expected, double scale) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto entry = static_cast<double>(expected[i]);
      const double magnitude = scale == 0 ? std::abs(entry) : scale;
      ASSERT_NEAR(actual.values[i], entry, 16 * epsilon() * magnitude) << "entry " << i << " of " << expected.size();
    }
  }

  void check(const gdbench_optimizer& optimizer, std::int64_t size) {
    const Dense gradient = random_matrix(generator_, 1, size);
    const Dense parameter = random_matrix(generator_, 1, size);
    PlainOptimizer plain(optimizer, gradient.values.size());
    PlainOptimizer::Values expected(parameter.values.begin(), parameter.values.end());
    const PlainOptimizer::Values gradients(gradient.values.begin(), gradient.values.end());

    UpdateScalars scalars;
    const Buffer scalars_buffer = context_.upload_bytes(&scalars, sizeof(scalars));
    std::vector<Buffer> buffers = {context_.upload(gradient), scalars_buffer, context_.upload(parameter)};
    for (std::size_t i = 0; i < plain.slots().size(); ++i) buffers.push_back(context_.upload(Dense(1, size)));
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const auto t = static_cast<long double>(step + 1);
      scalars.learning_rate = optimizer.learning_rates[step];
      const NadamFactors nadam = nadam_factors(optimizer, step + 1);
      const bool is_nadam = optimizer.kind == GDBENCH_NADAM;
      scalars.first_moment_factor =
          static_cast<double>(is_nadam ? nadam.of_moment : 1 / (1 - std::pow<long double>(optimizer.beta1, t)));
      scalars.gradient_factor = static_cast<double>(nadam.of_gradient);
      scalars.second_moment_root_factor =
          static_cast<double>(1 / std::sqrt(1 - std::pow<long double>(optimizer.beta2, t)));
      if (optimizer.epsilon_place == GDBENCH_EPSILON_HAT) scalars.add_epsilon_before_correction();
      context_.overwrite_bytes(scalars_buffer, &scalars, sizeof(scalars));
      context_.run(update(optimizer, size, plain.slots().size()), buffers);
      plain.update(expected, gradients, step);
    }
    EXPECT_EQ(context_.download(buffers[0], 1, size).values, gradient.values) << "the gradient is given";
    expect_near(context_.download(buffers[2], 1, size), expected, 2);
    const bool squares_first = optimizer.kind == GDBENCH_ADAGRAD || optimizer.kind == GDBENCH_RMSPROP;
    for (std::size_t i = 0; i < plain.slots().size(); ++i) {
      const bool squares = squares_first || i == 1;
      expect_near(context_.download(buffers[3 + i], 1, size), plain.slots()[i], squares ? 0 : 8);
    }
    context_.release_buffers();
  }
};

TEST_P(UpdateTest, FollowsTheRule) {
  const std::vector<double> rates = {0.25, 0.125, 0.0625, 0.1, 0.3};
  for (const OptimizerCase& values : optimizer_cases()) {
    const gdbench_optimizer optimizer = optimizer_of(values, rates);
    SCOPED_TRACE(std::string(name_of(values.kind)) + " decay " + std::to_string(values.weight_decay) +
                 (values.decoupled ? " decoupled" : ""));
    for (const std::int64_t size : kSizes) check(optimizer, size);
  }
}

// Adam's epsilon is what keeps a parameter without gradients where it is.
TEST_P(UpdateTest, LeavesAParameterWithoutGradients) {
  for (const OptimizerCase& values : optimizer_cases()) {
    if (values.weight_decay != 0) continue;
    const gdbench_optimizer optimizer = optimizer_of(values, kRate);
    const Dense parameter = random_matrix(generator_, 1, 19);
    const UpdateScalars scalars{0.25, 10, 30, 20};
    std::vector<Buffer> buffers = {context_.upload(Dense(1, 19)), context_.upload_bytes(&scalars, sizeof(scalars)),
                                   context_.upload(parameter)};
    for (std::size_t i = 0; i < slot_count(values.kind); ++i) buffers.push_back(context_.upload(Dense(1, 19)));
    context_.run(update(optimizer, 19, slot_count(values.kind)), buffers);
    EXPECT_EQ(context_.download(buffers[2], 1, 19).values, parameter.values);
  }
}

TEST_P(UpdateTest, RefusesWhatItDoesNotHave) {
  gdbench_optimizer optimizer = optimizer_of({catalogue::OptimizerKind::adam, 0, false}, kRate);
  EXPECT_EQ(context_.bind_status(update(optimizer, 4, 2)), GDBENCH_OK);
  EXPECT_EQ(context_.bind_status(update(optimizer, 4, 1)), GDBENCH_INVALID);
  optimizer.kind = GDBENCH_SGD;
  EXPECT_EQ(context_.bind_status(update(optimizer, 4, 1)), GDBENCH_INVALID);
  Request without = update(optimizer, 4, 0);
  without.optimizer = nullptr;
  EXPECT_EQ(context_.bind_status(without), GDBENCH_INVALID);
}

INSTANTIATE_TEST_SUITE_P(Backends, UpdateTest, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace gdbench::backends
