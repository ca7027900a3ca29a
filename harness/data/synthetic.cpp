#include "harness/data/synthetic.h"

#include <cmath>

#include "harness/base/random.h"

namespace gdbench::data {

namespace {

constexpr std::int64_t kTeacherWidth = 32;

// Streams of the seed, one per part, so that more rows or more noise leave the rest as it was.
enum Stream : std::uint64_t { kFeatures = 1, kWeights = 2, kNoise = 3, kMask = 4 };

std::vector<double> normals(Random& random, std::int64_t count, double deviation) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = deviation * random.normal();
  return values;
}

// a [rows, inner] times b [inner, columns].
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::int64_t rows,
                            std::int64_t inner, std::int64_t columns) {
  std::vector<double> result(static_cast<std::size_t>(rows * columns), 0.0);
  for (std::int64_t i = 0; i < rows; ++i) {
    double* row = result.data() + i * columns;
    for (std::int64_t k = 0; k < inner; ++k) {
      const double factor = a[static_cast<std::size_t>(i * inner + k)];
      const double* b_row = b.data() + k * columns;
      for (std::int64_t j = 0; j < columns; ++j) row[j] += factor * b_row[j];
    }
  }
  return result;
}

// Deviation of weights that leaves the variance of `inputs` standard normal inputs at 1.
double weight_deviation(std::int64_t inputs) { return 1 / std::sqrt(static_cast<double>(inputs)); }

// Keeps each entry with the probability data.density and makes the others 0.
void mask_features(const scenario::SyntheticData& data, std::vector<double>& x) {
  if (data.density == 1) return;
  Random random(data.seed, kMask);
  for (double& value : x) {
    if (random.uniform() >= data.density) value = 0;
  }
}

// Column j of independent columns of one variance times condition^(-j / (2 (features - 1))): variances from 1 down to
// 1 / condition in equal ratios, which are the eigenvalues of the covariance. Targets are made before, so that they are
// the same for any condition.
void spread_columns(const scenario::SyntheticData& data, std::vector<double>& x) {
  if (data.condition == 1 || data.features == 1) return;
  const double step = -reproducible_log(data.condition) / static_cast<double>(2 * (data.features - 1));
  std::vector<double> scales(static_cast<std::size_t>(data.features));
  for (std::size_t j = 0; j < scales.size(); ++j) scales[j] = reproducible_exp(static_cast<double>(j) * step);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scales[i % scales.size()];
}

// y = X w, w ~ N(0, 1 / features).
std::vector<double> linear_targets(const scenario::SyntheticData& data, const std::vector<double>& x) {
  Random random(data.seed, kWeights);
  const std::vector<double> w = normals(random, data.features * data.outputs, weight_deviation(data.features));
  return product(x, w, data.rows, data.features, data.outputs);
}

// y = tanh(X W0) W1 with normal weights of variance 1 / inputs.
std::vector<double> teacher_targets(const scenario::SyntheticData& data, const std::vector<double>& x) {
  Random random(data.seed, kWeights);
  const std::vector<double> w0 = normals(random, data.features * kTeacherWidth, weight_deviation(data.features));
  const std::vector<double> w1 = normals(random, kTeacherWidth * data.outputs, weight_deviation(kTeacherWidth));
  std::vector<double> hidden = product(x, w0, data.rows, data.features, kTeacherWidth);
  for (double& value : hidden) value = reproducible_tanh(value);
  return product(hidden, w1, data.rows, kTeacherWidth, data.outputs);
}

// Row i has label i mod classes and x ~ N(centre of that class, noise^2); centres ~ N(0, 1) per feature.
Table make_blobs(const scenario::SyntheticData& data, Table table) {
  Random weights(data.seed, kWeights);
  Random noise(data.seed, kNoise);
  const std::vector<double> centres = normals(weights, data.outputs * data.features, 1);
  table.x = normals(noise, data.rows * data.features, data.noise);
  table.has_labels = true;
  table.labels.resize(static_cast<std::size_t>(data.rows));
  for (std::int64_t i = 0; i < data.rows; ++i) {
    const std::int64_t label = i % data.outputs;
    table.labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(label);
    double* row = table.x.data() + i * data.features;
    const double* centre = centres.data() + label * data.features;
    for (std::int64_t j = 0; j < data.features; ++j) row[j] += centre[j];
  }
  return table;
}

}  // namespace

Table make_synthetic(const scenario::SyntheticData& data, catalogue::Targets targets) {
  Table table;
  table.rows = data.rows;
  table.features = data.features;
  table.outputs = data.outputs;
  if (data.kind == scenario::SyntheticKind::blobs) {
    table = make_blobs(data, std::move(table));
    mask_features(data, table.x);
    return table;
  }

  Random features(data.seed, kFeatures);
  table.x = normals(features, data.rows * data.features, 1);
  if (data.kind == scenario::SyntheticKind::gradients) return table;
  mask_features(data, table.x);
  table.y =
      data.kind == scenario::SyntheticKind::linear ? linear_targets(data, table.x) : teacher_targets(data, table.x);
  Random noise(data.seed, kNoise);
  for (double& value : table.y) value += data.noise * noise.normal();
  if (targets == catalogue::Targets::shares) {
    for (double& value : table.y) value = value > 0 ? 1 : 0;
  }
  spread_columns(data, table.x);
  return table;
}

}  // namespace gdbench::data
