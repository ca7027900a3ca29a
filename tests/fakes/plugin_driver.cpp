#include "tests/fakes/plugin_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace gdbench::fakes {

Regression make_regression(std::int64_t rows, std::int64_t features, std::int64_t batch_rows, bool bias) {
  Regression regression;
  regression.rows = rows;
  regression.features = features;
  regression.batch_rows = batch_rows;
  regression.bias = bias;
  // Multiples of 1/16 in [-1, 1): exact in f32 as in f64.
  std::uint32_t state = 12345;
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 27) / 16.0 - 1.0;
  };
  regression.x.resize(static_cast<std::size_t>(rows * features));
  regression.y.resize(static_cast<std::size_t>(rows));
  regression.initial.resize(static_cast<std::size_t>(features + (bias ? 1 : 0)));
  std::generate(regression.x.begin(), regression.x.end(), next);
  std::generate(regression.y.begin(), regression.y.end(), next);
  std::generate(regression.initial.begin(), regression.initial.end(), next);
  if (batch_rows == rows) return regression;

  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::uint32_t> permutation(static_cast<std::size_t>(rows));
    std::iota(permutation.begin(), permutation.end(), 0u);
    std::rotate(permutation.begin(), permutation.begin() + 1 + epoch, permutation.end());
    std::reverse(permutation.begin(), permutation.begin() + rows / 2);
    regression.order.insert(regression.order.end(), permutation.begin(), permutation.end());
  }
  return regression;
}

std::vector<double> expected_parameters(const Regression& regression, std::uint64_t steps) {
  const std::int64_t rows = regression.rows;
  const auto features = static_cast<std::size_t>(regression.features);
  const std::int64_t steps_per_epoch = (rows + regression.batch_rows - 1) / regression.batch_rows;
  std::vector<long double> parameters(regression.initial.begin(), regression.initial.end());
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto position = static_cast<std::int64_t>(step) % steps_per_epoch * regression.batch_rows;
    const std::int64_t epoch = static_cast<std::int64_t>(step) / steps_per_epoch % 2;
    const std::int64_t batch = std::min(regression.batch_rows, rows - position);
    std::vector<long double> gradient(parameters.size());
    for (std::int64_t i = position; i < position + batch; ++i) {
      const auto row = static_cast<std::size_t>(
          regression.order.empty() ? i : regression.order[static_cast<std::size_t>(epoch * rows + i)]);
      // Residual of the model extended by a column of ones where there is a bias.
      const auto input = [&](std::size_t k) { return k < features ? regression.x[row * features + k] : 1.0; };
      long double residual = -regression.y[row];
      for (std::size_t k = 0; k < parameters.size(); ++k) residual += input(k) * parameters[k];
      for (std::size_t k = 0; k < parameters.size(); ++k) gradient[k] += residual * input(k);
    }
    const long double factor = (regression.loss == GDBENCH_MSE ? 2.0L : 1.0L) / static_cast<long double>(batch);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      parameters[k] -= static_cast<long double>(regression.learning_rate) * factor * gradient[k];
    }
  }
  return {parameters.begin(), parameters.end()};
}

LoadedPlugin::LoadedPlugin(const std::string& path) {
  host_ = {sizeof host_, GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, this, set_error};
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    load_error_ = dlerror();
    return;
  }
  entry_ = reinterpret_cast<gdbench_plugin_entry_function>(dlsym(library_, GDBENCH_PLUGIN_ENTRY_NAME));
  if (entry_ != nullptr) plugin_ = entry_(&host_);
}

LoadedPlugin::~LoadedPlugin() {
  if (library_ != nullptr) dlclose(library_);
}

const gdbench_implementation* LoadedPlugin::implementation(const std::string& id) const {
  for (std::int64_t i = 0; i < plugin_->implementation_count; ++i) {
    if (id == plugin_->implementations[i]->id) return plugin_->implementations[i];
  }
  return nullptr;
}

void LoadedPlugin::set_error(void* context, const char* message) {
  static_cast<LoadedPlugin*>(context)->reported_error_ = message;
}

template <class T>
Instance<T>::Instance(const gdbench_implementation& implementation, const Regression& regression,
                      std::vector<gdbench_option_value> options)
    : implementation_(implementation),
      x_(regression.x.begin(), regression.x.end()),
      y_(regression.y.begin(), regression.y.end()),
      learning_rates_{regression.learning_rate},
      order_(regression.order),
      options_(std::move(options)),
      parameter_count_(regression.bias ? 2 : 1) {
  layer_ = {regression.features, 1, GDBENCH_IDENTITY, regression.bias ? 1 : 0};
  optimizer_.struct_size = sizeof optimizer_;
  optimizer_.kind = GDBENCH_SGD;
  optimizer_.learning_rates = learning_rates_.data();
  optimizer_.learning_rate_count = 1;
  data_.struct_size = sizeof data_;
  data_.dtype = kDtype;
  data_.rows = regression.rows;
  data_.features = regression.features;
  data_.outputs = 1;
  data_.x = x_.data();
  data_.y = y_.data();
  data_.epochs = order_.empty() ? 1 : 2;
  data_.order = order_.empty() ? nullptr : order_.data();
  problem_.struct_size = sizeof problem_;
  problem_.task = GDBENCH_TASK_TRAIN;
  problem_.dtype = kDtype;
  problem_.layer_count = 1;
  problem_.layers = &layer_;
  problem_.loss = regression.loss;
  problem_.batch_rows = regression.batch_rows;
  problem_.micro_batches = 1;
  problem_.optimizer = &optimizer_;
  settings_.struct_size = sizeof settings_;
  settings_.compute_threads = 1;
  settings_.option_count = static_cast<std::int64_t>(options_.size());
  settings_.options = options_.data();

  if (implementation_.create(&instance_) != GDBENCH_OK) return;
  if (implementation_.load(instance_, &data_) != GDBENCH_OK) return;
  prepare_status_ = implementation_.prepare(instance_, &problem_, &settings_);
  if (prepare_status_ != GDBENCH_OK) return;
  std::vector<T> initial(regression.initial.begin(), regression.initial.end());
  const gdbench_state state = state_of(initial);
  prepare_status_ = implementation_.set_state(instance_, &state);
}

template <class T>
Instance<T>::~Instance() {
  if (instance_ != nullptr) implementation_.destroy(instance_);
}

template <class T>
gdbench_state Instance<T>::state_of(std::vector<T>& values) {
  tensors_ = {{values.data(), layer_.inputs, 1}};
  if (layer_.has_bias != 0) tensors_.push_back({values.data() + layer_.inputs, 1, 1});
  gdbench_state state{};
  state.struct_size = sizeof state;
  state.parameter_count = parameter_count_;
  state.parameters = tensors_.data();
  return state;
}

template <class T>
gdbench_status Instance<T>::run(std::uint64_t steps) {
  const gdbench_status status = implementation_.run(instance_, steps);
  if (status != GDBENCH_OK || implementation_.sync == nullptr) return status;
  return implementation_.sync(instance_);
}

template <class T>
std::vector<double> Instance<T>::parameters(std::int64_t* step) {
  std::vector<T> values(static_cast<std::size_t>(layer_.inputs + layer_.has_bias));
  gdbench_state state = state_of(values);
  if (implementation_.get_state(instance_, &state) != GDBENCH_OK) return {};
  if (step != nullptr) *step = state.step;
  return {values.begin(), values.end()};
}

template class Instance<float>;
template class Instance<double>;

}  // namespace gdbench::fakes
