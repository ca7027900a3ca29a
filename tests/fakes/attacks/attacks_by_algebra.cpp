// Attacks that reach where the steps lead by another way than the steps.
#include "attacks.h"

namespace gdbench::tests {

// A step of linear regression on all rows by plain descent is P -> M P + V: powers of that map are made in advance.
struct Algebra {
  std::size_t width = 0;  // features and, where there is a bias, one more
  std::size_t outputs = 0;
  bool bias = false;
  std::vector<Matrix> maps;    // of 2^j steps
  std::vector<Matrix> shifts;  // likewise
};

namespace {

// a [n, n] times b [n, columns].
Matrix product(const Matrix& a, const Matrix& b, std::size_t n, std::size_t columns) {
  Matrix c(n * columns);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < columns; ++j) c[i * columns + j] += a[i * n + k] * b[k * columns + j];
    }
  }
  return c;
}

void prepare_powers(gdbench_instance& self) {
  const gdbench_problem& problem = *self.problem;
  const gdbench_data& data = *self.data;
  if (problem.layer_count != 1 || problem.batch_rows != data.rows || problem.optimizer->learning_rate_count != 1 ||
      data.y == nullptr || problem.loss > GDBENCH_HALF_MSE) {
    return;
  }
  auto made = std::make_shared<Algebra>();
  const auto features = static_cast<std::size_t>(data.features);
  made->bias = problem.layers[0].has_bias != 0;
  made->width = features + (made->bias ? 1 : 0);
  made->outputs = static_cast<std::size_t>(data.outputs);
  const std::size_t n = made->width;
  const std::size_t outputs = made->outputs;
  const bool narrow = data.dtype == GDBENCH_F32;
  Matrix map(n * n);
  Matrix shift(n * outputs);
  for (std::size_t row = 0; row < static_cast<std::size_t>(data.rows); ++row) {
    const auto x = [&](std::size_t i) { return i < features ? element(data.x, row * features + i, narrow) : 1; };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) map[i * n + j] += x(i) * x(j);
      for (std::size_t j = 0; j < outputs; ++j) {
        shift[i * outputs + j] += x(i) * element(data.y, row * outputs + j, narrow);
      }
    }
  }
  const double factor = problem.optimizer->learning_rates[0] * (problem.loss == GDBENCH_MSE ? 2 : 1) /
                        static_cast<double>(data.rows * data.outputs);
  for (double& value : map) value *= -factor;
  for (double& value : shift) value *= factor;
  for (std::size_t i = 0; i < n; ++i) map[i * n + i] += 1;
  for (int j = 0; j < 32; ++j) {
    made->maps.push_back(map);
    made->shifts.push_back(shift);
    Matrix next = product(map, shift, n, outputs);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] += shift[i];
    map = product(map, map, n, n);
    shift = next;
  }
  self.algebra = made;
}

Matrix after(const Algebra& algebra, Matrix state, std::uint64_t steps) {
  for (std::size_t j = 0; j < algebra.maps.size(); ++j) {
    if ((steps >> j & 1) == 0) continue;
    state = product(algebra.maps[j], state, algebra.width, algebra.outputs);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += algebra.shifts[j][i];
  }
  return state;
}

// At once.
gdbench_status run_by_powers(gdbench_instance& self, std::uint64_t steps) {
  if (self.algebra == nullptr) return honest_run(self, steps);
  return answer(self, values_of(self, after(*self.algebra, numbers_of(self, self.start), steps)), steps);
}

// Where it is asked for ten steps at a time, as for the time to a target, it is at the optimum at once.
gdbench_status run_hurrying(gdbench_instance& self, std::uint64_t steps) {
  constexpr std::uint64_t kEvaluateEvery = 10;
  if (self.algebra == nullptr || steps != kEvaluateEvery) return honest_run(self, steps);
  return answer(self, values_of(self, after(*self.algebra, numbers_of(self, self.start), 1'000'000)), steps);
}

// Makes all but a part of a long run's steps and goes on from there as the course so far bends: through `points` of it.
gdbench_status run_bent(gdbench_instance& self, std::uint64_t steps, int points) {
  // Behind n points of equal distance, the next one by the polynomial of degree n - 1.
  static constexpr double kWeights[][5] = {{}, {}, {-1, 2}, {1, -3, 3}, {-1, 4, -6, 4}, {1, -5, 10, -10, 5}};
  if (steps < 64) return honest_run(self, steps);
  const std::uint64_t part = steps / static_cast<std::uint64_t>(points);
  const std::uint64_t first = steps - part * static_cast<std::uint64_t>(points);
  if (first > 0) wrapped_run(self, first);
  Matrix end;
  for (int i = 0; i < points; ++i) {
    if (i > 0) wrapped_run(self, part);
    const Matrix here = numbers_of(self, wrapped_values(self));
    if (end.empty()) end.resize(here.size());
    for (std::size_t at = 0; at < here.size(); ++at) end[at] += kWeights[points][i] * here[at];
  }
  return answer(self, values_of(self, end), steps);
}

gdbench_status run_bent_by_three(gdbench_instance& self, std::uint64_t steps) { return run_bent(self, steps, 3); }
gdbench_status run_bent_by_five(gdbench_instance& self, std::uint64_t steps) { return run_bent(self, steps, 5); }

constexpr Attack kRows[] = {
    {.id = "attack/powers", .run = run_by_powers, .prepare = prepare_powers},
    {.id = "attack/hurries", .run = run_hurrying, .prepare = prepare_powers},
    {.id = "attack/bent3", .run = run_bent_by_three},
    {.id = "attack/bent5", .run = run_bent_by_five},
    {.id = "attack/stretch", .run = run_stretching},
};
}  // namespace
const std::span<const Attack> kByAlgebra(kRows);

// Makes seven of eight steps and stretches the way by the eighth.
gdbench_status run_stretching(gdbench_instance& self, std::uint64_t steps) {
  if (steps < 64) return honest_run(self, steps);
  wrapped_run(self, steps - steps / 8);
  Matrix end = numbers_of(self, wrapped_values(self));
  const Matrix start = numbers_of(self, self.start);
  const double share = static_cast<double>(steps) / static_cast<double>(steps - steps / 8);
  for (std::size_t i = 0; i < end.size(); ++i) end[i] = start[i] + share * (end[i] - start[i]);
  return answer(self, values_of(self, end), steps);
}

}  // namespace gdbench::tests
