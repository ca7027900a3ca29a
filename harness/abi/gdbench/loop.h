// A training of your own in C++, for `gdbench run --impl ./mine.cpp`: a class with a step, and one line that names it.
//
//   #include <gdbench/loop.h>
//   struct Mine {
//     explicit Mine(const gdbench::Problem& problem);
//     void step(const gdbench::Batch<float>& batch, gdbench::Model<float>& model, double learning_rate);
//   };
//   GDBENCH_LOOP("mine/loop", Mine)
//
// A step is one update of the model's parameters from a batch. It is timed whole; the constructor is not. Everything
// else (data, batches in the order that all implementations follow, states) is done here, by plugin.h, whose Arithmetic
// the numbers follow. With batches in a shuffled order a step begins with a copy of its rows, which counts as its time.
// What a class says of itself, each of it optional:
//   using Real = double;                        what data and parameters are made of; float where it says nothing
//   static constexpr uint32_t losses = GDBENCH_BIT(GDBENCH_MSE);   likewise activations and optimizers: what it can
//       train, by plugin.h; a problem beyond is unsupported instead of wrong. Optimizers are plain descent alone where
//       it says nothing, and all losses and activations
//   static constexpr int64_t max_layers = 1;    any number where it says nothing
// What a constructor or a step throws becomes the text of its row.
#pragma once

#include <gdbench/plugin.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace gdbench {

struct Problem {
  std::span<const gdbench_layer> layers;
  gdbench_loss loss;
  const gdbench_optimizer& optimizer;
  std::int64_t rows;        // of the data
  std::int64_t batch_rows;  // of a step's batch, at most
  int threads;              // that a step may compute with, its own among them
};

template <class Real>
struct Batch {
  std::int64_t rows;
  const Real* x;               // [rows, features]
  const Real* y;               // [rows, outputs]; null where there are labels
  const std::int32_t* labels;  // [rows]; null where there is y
};

// Parameters w0 b0 w1 b1 ..., without the biases that a layer does not have, and the optimizer's slots of each.
template <class Real>
class Model {
 public:
  void resize(const gdbench_state& state) {
    tensors_.resize(static_cast<std::size_t>(state.parameter_count * (1 + state.slot_count)));
    parameters_ = static_cast<std::size_t>(state.parameter_count);
    visit(state, [](std::vector<Real>& own, const gdbench_tensor& tensor) {
      own.resize(static_cast<std::size_t>(tensor.rows * tensor.columns));
    });
  }

  std::size_t parameters() const { return parameters_; }
  std::span<Real> operator[](std::size_t parameter) { return tensors_[parameter]; }
  std::span<Real> slot(std::size_t slot, std::size_t parameter) {
    return tensors_[(1 + slot) * parameters_ + parameter];
  }
  std::int64_t step = 0;  // updates made before this one

  // visit(own, tensor) of each parameter, then of each slot.
  template <class Visit>
  void visit(const gdbench_state& state, Visit visit) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      visit(tensors_[i], i < parameters_ ? state.parameters[i] : state.slots[i - parameters_]);
    }
  }

 private:
  std::vector<std::vector<Real>> tensors_;  // parameters, then slots [slot][parameter]
  std::size_t parameters_ = 0;
};

namespace loop {

inline const gdbench_host* host = nullptr;  // set by the entry; all calls come from one thread

template <class Class>
struct RealOf {
  using type = float;
};
template <class Class>
requires requires { typename Class::Real; }
struct RealOf<Class> {
  using type = typename Class::Real;
};

// Runs what may throw, as nothing may cross the interface.
template <class Function>
gdbench_status guarded(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    host->set_error(host->context, "no memory");
    return GDBENCH_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    host->set_error(host->context, error.what());
  } catch (...) {
    host->set_error(host->context, "threw what is no std::exception");
  }
  return GDBENCH_FAILED;
}

template <class Class>
class Instance {
 public:
  using Real = typename RealOf<Class>::type;

  void load(const gdbench_data& data) { data_ = &data; }

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
    problem_ = &problem;
    const auto layers = std::span(problem.layers, static_cast<std::size_t>(problem.layer_count));
    training_ = std::make_unique<Class>(Problem{layers, static_cast<gdbench_loss>(problem.loss), *problem.optimizer,
                                                data_->rows, problem.batch_rows, settings.compute_threads});
  }

  void set_state(const gdbench_state& state) {
    model_.resize(state);
    model_.visit(state, [](std::vector<Real>& own, const gdbench_tensor& tensor) {
      std::copy_n(static_cast<const Real*>(tensor.data), own.size(), own.begin());
    });
    model_.step = state.step;
  }

  void get_state(gdbench_state& state) {
    model_.visit(state, [](const std::vector<Real>& own, const gdbench_tensor& tensor) {
      std::copy(own.begin(), own.end(), static_cast<Real*>(tensor.data));
    });
    state.step = model_.step;
  }

  void run(std::uint64_t steps) {
    const gdbench_optimizer& optimizer = *problem_->optimizer;
    for (; steps > 0; --steps, ++model_.step) {
      const std::int64_t last = optimizer.learning_rate_count - 1;
      training_->step(next_batch(), model_, optimizer.learning_rates[std::min(model_.step, last)]);
    }
  }

 private:
  Batch<Real> next_batch() {
    const std::int64_t batch_rows = problem_->batch_rows;
    // A host of before 1.14 has no such member, and leaves no batch out.
    const bool drops_last =
        problem_->struct_size > offsetof(gdbench_problem, drops_last_batch) && problem_->drops_last_batch != 0;
    const std::int64_t smaller_batches = data_->rows % batch_rows != 0 && !drops_last ? 1 : 0;
    const std::int64_t steps_per_epoch = data_->rows / batch_rows + smaller_batches;
    const std::int64_t first = model_.step % steps_per_epoch * batch_rows;
    const std::int64_t rows = std::min(batch_rows, data_->rows - first);
    const std::uint32_t* order = nullptr;
    if (data_->order != nullptr)
      order = data_->order + model_.step / steps_per_epoch % data_->epochs * data_->rows + first;
    return {rows, part(static_cast<const Real*>(data_->x), data_->features, first, rows, order, x_),
            part(static_cast<const Real*>(data_->y), data_->outputs, first, rows, order, y_),
            part(data_->labels, 1, first, rows, order, labels_)};
  }

  // A batch's rows: where they lie, or copied where the order says so.
  template <class Value>
  static const Value* part(const Value* values, std::int64_t columns, std::int64_t first, std::int64_t rows,
                           const std::uint32_t* order, std::vector<Value>& copied) {
    if (values == nullptr) return nullptr;
    if (order == nullptr) return values + first * columns;
    copied.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(values + order[row] * columns, columns, copied.data() + row * columns);
    }
    return copied.data();
  }

  const gdbench_data* data_ = nullptr;
  const gdbench_problem* problem_ = nullptr;
  std::unique_ptr<Class> training_;
  Model<Real> model_;
  std::vector<Real> x_, y_;
  std::vector<std::int32_t> labels_;
};

// A function of the table for a member of Instance.
template <class Class, auto member, class... Arguments>
gdbench_status call(gdbench_instance* instance, Arguments... arguments) {
  return guarded([&] {
    const auto referred = [](auto argument) -> decltype(auto) {
      if constexpr (std::is_pointer_v<decltype(argument)>) {
        return *argument;
      } else {
        return argument;
      }
    };
    (reinterpret_cast<Instance<Class>*>(instance)->*member)(referred(arguments)...);
    return GDBENCH_OK;
  });
}

template <class Class>
const gdbench_implementation* table(const char* id) {
  using Own = Instance<Class>;
  static gdbench_implementation made{};
  made.struct_size = sizeof made;
  made.id = id;
  made.description = id;
  made.build = "g++ or clang++ " __VERSION__;
  made.tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN);
  made.dtypes = GDBENCH_BIT(sizeof(typename Own::Real) == sizeof(double) ? GDBENCH_F64 : GDBENCH_F32);
  made.activations = made.losses = ~std::uint32_t{0};
  made.optimizers = GDBENCH_BIT(GDBENCH_SGD);
  if constexpr (requires { Class::activations; }) made.activations = Class::activations;
  if constexpr (requires { Class::losses; }) made.losses = Class::losses;
  if constexpr (requires { Class::optimizers; }) made.optimizers = Class::optimizers;
  if constexpr (requires { Class::max_layers; }) made.max_layers = Class::max_layers;
  made.capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE) |
                      GDBENCH_BIT(GDBENCH_CAPABILITY_DROP_LAST);
  made.create = [](gdbench_instance** instance) {
    return guarded([&] {
      *instance = reinterpret_cast<gdbench_instance*>(new Own);
      return GDBENCH_OK;
    });
  };
  made.destroy = [](gdbench_instance* instance) { delete reinterpret_cast<Own*>(instance); };
  made.load = call<Class, &Own::load, const gdbench_data*>;
  made.prepare = call<Class, &Own::prepare, const gdbench_problem*, const gdbench_settings*>;
  made.set_state = call<Class, &Own::set_state, const gdbench_state*>;
  made.get_state = call<Class, &Own::get_state, gdbench_state*>;
  made.run = call<Class, &Own::run, std::uint64_t>;
  return &made;
}

}  // namespace loop
}  // namespace gdbench

// The one line of a file: ids and classes, GDBENCH_LOOP("mine/loop", Mine) or with several classes of one id, one for
// each Real; the rest of the interface is what it stands for.
#define GDBENCH_LOOP(id, Class)                                                                                     \
  extern "C" GDBENCH_EXPORT const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {                  \
    gdbench::loop::host = host;                                                                                     \
    static const gdbench_implementation* const implementations[] = {gdbench::loop::table<Class>(id)};               \
    static const gdbench_plugin plugin = {sizeof(gdbench_plugin),     GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, id, "", \
                                          std::size(implementations), implementations};                             \
    return &plugin;                                                                                                 \
  }
