// Loads a plugin into the test's own process and trains a small linear regression with it, without the harness.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gdbench/plugin.h"

namespace gdbench::fakes {

// A regression whose arrays are exact in both dtypes.
struct Regression {
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t batch_rows = 0;
  gdbench_loss loss = GDBENCH_MSE;
  bool bias = false;
  double learning_rate = 0.01;
  std::vector<double> x;             // [rows, features]
  std::vector<double> y;             // [rows], one output
  std::vector<std::uint32_t> order;  // [epochs, rows]; empty: rows in their own order
  std::vector<double> initial;       // [features], then the bias if there is one
};

// Small numbers from a fixed sequence; two epochs of shuffled rows where the batch is not full.
Regression make_regression(std::int64_t rows, std::int64_t features, std::int64_t batch_rows, bool bias);

// Parameters after `steps` updates, from the definition of the loss alone, in long double.
std::vector<double> expected_parameters(const Regression& regression, std::uint64_t steps);

// A shared object and what its entry returned.
class LoadedPlugin {
 public:
  explicit LoadedPlugin(const std::string& path);
  ~LoadedPlugin();
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  const std::string& load_error() const { return load_error_; }  // empty where the file was opened
  bool has_entry() const { return entry_ != nullptr; }
  const gdbench_plugin* plugin() const { return plugin_; }
  const gdbench_implementation& implementation() const { return *plugin_->implementations[0]; }
  // Null where there is none.
  const gdbench_implementation* implementation(const std::string& id) const;
  const std::string& reported_error() const { return reported_error_; }
  void forget_error() { reported_error_.clear(); }

 private:
  static void set_error(void* context, const char* message);

  gdbench_host host_{};
  std::string load_error_;
  std::string reported_error_;
  void* library_ = nullptr;
  gdbench_plugin_entry_function entry_ = nullptr;
  const gdbench_plugin* plugin_ = nullptr;
};

// One instance that is loaded and prepared for a regression; T is float or double.
template <class T>
class Instance {
 public:
  Instance(const gdbench_implementation& implementation, const Regression& regression,
           std::vector<gdbench_option_value> options = {});
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  gdbench_status prepare_status() const { return prepare_status_; }
  gdbench_status run(std::uint64_t steps);
  // Parameters as the plugin hands them out; `step` receives its count of updates.
  std::vector<double> parameters(std::int64_t* step = nullptr);
  // The plugin's own training loss.
  gdbench_status evaluate(double* loss) { return implementation_.evaluate(instance_, 0, loss); }

 private:
  gdbench_state state_of(std::vector<T>& values);

  static constexpr gdbench_dtype kDtype = std::is_same_v<T, float> ? GDBENCH_F32 : GDBENCH_F64;

  const gdbench_implementation& implementation_;
  std::vector<T> x_, y_;
  std::vector<double> learning_rates_;
  std::vector<std::uint32_t> order_;
  std::vector<gdbench_option_value> options_;
  gdbench_layer layer_{};
  gdbench_optimizer optimizer_{};
  gdbench_data data_{};
  gdbench_problem problem_{};
  gdbench_settings settings_{};
  std::vector<gdbench_tensor> tensors_;
  std::int64_t parameter_count_ = 0;
  gdbench_instance* instance_ = nullptr;
  gdbench_status prepare_status_ = GDBENCH_FAILED;
};

}  // namespace gdbench::fakes
