#include <dlfcn.h>
#include <time.h>

#include <cstring>
#include <utility>

#include "attacks.h"

namespace gdbench::tests {

namespace {

const gdbench_implementation* inner = nullptr;
std::vector<Attack> attacks;

}  // namespace

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void wait_until(double time_ns) {
  while (now_ns() < time_ns) {
  }
}

double element(const void* values, std::size_t at, bool narrow) {
  return narrow ? static_cast<double>(static_cast<const float*>(values)[at]) : static_cast<const double*>(values)[at];
}

Matrix numbers_of(const gdbench_instance& self, const Values& values) {
  Matrix numbers;
  for (const std::vector<std::byte>& bytes : values) {
    for (std::size_t i = 0; i < bytes.size() / self.element_bytes; ++i) {
      numbers.push_back(element(bytes.data(), i, self.element_bytes == sizeof(float)));
    }
  }
  return numbers;
}

Values values_of(const gdbench_instance& self, const Matrix& from) {
  Values values = self.start;
  std::size_t at = 0;
  for (std::vector<std::byte>& bytes : values) {
    for (std::size_t i = 0; i < bytes.size(); i += self.element_bytes, ++at) {
      const auto narrow = static_cast<float>(from[at]);
      if (self.element_bytes == sizeof narrow) {
        std::memcpy(bytes.data() + i, &narrow, sizeof narrow);
      } else {
        std::memcpy(bytes.data() + i, &from[at], sizeof from[at]);
      }
    }
  }
  return values;
}

Values added(const gdbench_instance& self, const Values& a, const Values& b, double sign) {
  Matrix sum = numbers_of(self, a);
  const Matrix other = numbers_of(self, b);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sign * other[i];
  return values_of(self, sum);
}

namespace {

std::vector<gdbench_tensor> tensors_of(const gdbench_instance& self, Values& values) {
  std::vector<gdbench_tensor> tensors = self.shapes;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].data = values[i].data();
  return tensors;
}

}  // namespace

gdbench_state state_of(const std::vector<gdbench_tensor>& tensors, std::int64_t step) {
  return {sizeof(gdbench_state), step, static_cast<std::int64_t>(tensors.size()), tensors.data(), 0, nullptr, nullptr};
}

Values wrapped_values(gdbench_instance& self) {
  Values values = self.start;
  const std::vector<gdbench_tensor> tensors = tensors_of(self, values);
  gdbench_state state = state_of(tensors, 0);
  inner->get_state(self.wrapped, &state);
  return values;
}

void set_wrapped(gdbench_instance& self, Values values, std::int64_t step) {
  const std::vector<gdbench_tensor> tensors = tensors_of(self, values);
  const gdbench_state state = state_of(tensors, step);
  inner->set_state(self.wrapped, &state);
}

std::uint64_t timed_steps(const gdbench_instance& self) {
  std::uint64_t longest = 0;
  for (const auto& [steps, blocks] : self.lengths) {
    if (blocks >= 3) longest = steps;
  }
  return longest;
}

bool in_timed_block(const gdbench_instance& self, std::uint64_t steps) {
  return timed_steps(self) > 0 && steps == timed_steps(self);
}

gdbench_status answer(gdbench_instance& self, Values end, std::uint64_t steps) {
  self.end = std::move(end);
  self.step += static_cast<std::int64_t>(steps);
  return GDBENCH_OK;
}

gdbench_status wrapped_run(gdbench_instance& self, std::uint64_t steps) {
  const gdbench_status status = inner->run(self.wrapped, steps);
  return status == GDBENCH_OK && inner->sync != nullptr ? inner->sync(self.wrapped) : status;
}

gdbench_status honest_run(gdbench_instance& self, std::uint64_t steps) {
  self.end.clear();
  const double started_ns = now_ns();
  const gdbench_status status = wrapped_run(self, steps);
  self.block_ns = now_ns() - started_ns;
  const double step_ns = self.block_ns / static_cast<double>(steps);
  if (steps > 0 && self.block_ns > 0.5e6 && (self.step_ns == 0 || step_ns < self.step_ns)) self.step_ns = step_ns;
  self.step += static_cast<std::int64_t>(steps);
  return status;
}

namespace {

void begin(gdbench_instance* self) {
  if (self->attack->before != nullptr) self->attack->before(*self);
}

template <std::size_t attack>
gdbench_status create(gdbench_instance** instance) {
  *instance = new gdbench_instance;
  (*instance)->attack = &attacks[attack];
  return inner->create(&(*instance)->wrapped);
}

void destroy(gdbench_instance* self) {
  begin(self);
  if (self->attack->destroy != nullptr) self->attack->destroy(*self);
  inner->destroy(self->wrapped);
  delete self;
}

gdbench_status load(gdbench_instance* self, const gdbench_data* data) {
  self->data = data;
  return inner->load(self->wrapped, data);
}

gdbench_status prepare(gdbench_instance* self, const gdbench_problem* problem, const gdbench_settings* settings) {
  self->element_bytes = problem->dtype == GDBENCH_F32 ? sizeof(float) : sizeof(double);
  self->problem = problem;
  const gdbench_status status = inner->prepare(self->wrapped, problem, settings);
  if (status == GDBENCH_OK && self->attack->prepare != nullptr) self->attack->prepare(*self);
  return status;
}

gdbench_status evaluate(gdbench_instance* self, std::int32_t split, double* loss) {
  begin(self);
  if (!self->end.empty()) set_wrapped(*self, self->end, self->step);
  const gdbench_status status = inner->evaluate(self->wrapped, split, loss);
  if (status == GDBENCH_OK && self->attack->evaluate != nullptr) self->attack->evaluate(*self, *loss);
  return status;
}

gdbench_status get_state(gdbench_instance* self, gdbench_state* state) {
  begin(self);
  if (self->attack->get_state != nullptr) self->attack->get_state(*self);
  const gdbench_status status = inner->get_state(self->wrapped, state);
  for (std::size_t i = 0; i < self->end.size(); ++i) {
    std::memcpy(state->parameters[i].data, self->end[i].data(), self->end[i].size());
  }
  state->step = self->step;
  return status;
}

gdbench_status set_state(gdbench_instance* self, const gdbench_state* state) {
  begin(self);
  self->moved = false;
  self->left = 0;
  self->end.clear();
  self->step = state->step;
  self->shapes.assign(state->parameters, state->parameters + state->parameter_count);
  self->parameters.clear();
  self->start.clear();
  for (const gdbench_tensor& tensor : self->shapes) {
    const auto* const bytes = static_cast<const std::byte*>(tensor.data);
    self->parameters.push_back(tensor.data);
    self->start.emplace_back(bytes,
                             bytes + static_cast<std::size_t>(tensor.rows * tensor.columns) * self->element_bytes);
  }
  const gdbench_status status = inner->set_state(self->wrapped, state);
  if (status != GDBENCH_OK || self->attack->set_state == nullptr) return status;
  return self->attack->set_state(*self);
}

gdbench_status run(gdbench_instance* self, std::uint64_t steps) {
  begin(self);
  ++self->requests;
  ++self->lengths[steps];
  if (!self->end.empty()) {  // goes on from there
    self->start = self->end;
    set_wrapped(*self, self->start, self->step);
    self->end.clear();
  } else if (self->moved) {
    self->start = wrapped_values(*self);
  }
  self->moved = true;
  return self->attack->run(*self, steps);
}

gdbench_implementation made_of(const Attack& attack, gdbench_status (*creates)(gdbench_instance**)) {
  gdbench_implementation made = *inner;
  made.id = attack.id;
  made.description = "an attack";
  made.optimizers = GDBENCH_BIT(GDBENCH_SGD);
  made.create = creates;
  made.destroy = destroy;
  made.load = load;
  made.prepare = prepare;
  made.set_state = set_state;
  made.get_state = get_state;
  made.run = run;
  made.sync = nullptr;
  made.evaluate = evaluate;
  made.profile = nullptr;
  made.helper_threads_in_use = nullptr;
  made.runtime = nullptr;
  made.imported = nullptr;
  if (attack.change != nullptr) attack.change(made);
  return made;
}

template <std::size_t... index>
const gdbench_implementation* const* all_made(std::index_sequence<index...> /*all*/) {
  static gdbench_implementation implementations[sizeof...(index)];
  static const gdbench_implementation* const pointers[] = {&implementations[index]...};
  const auto make = [](std::size_t place, gdbench_status (*creates)(gdbench_instance**)) {
    if (place < attacks.size()) implementations[place] = made_of(attacks[place], creates);
  };
  (make(index, create<index>), ...);
  return pointers;
}

}  // namespace

}  // namespace gdbench::tests

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  using namespace gdbench::tests;
  void* const library = dlopen(GDBENCH_WRAPPED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library != nullptr ? dlsym(library, GDBENCH_PLUGIN_ENTRY_NAME) : nullptr;
  if (symbol == nullptr) {
    host->set_error(host->context, "the plugin to be wrapped cannot be opened");
    return nullptr;
  }
  const gdbench_plugin* const wrapped = reinterpret_cast<gdbench_plugin_entry_function>(symbol)(host);
  if (wrapped == nullptr) return nullptr;
  inner = wrapped->implementations[0];
  attacks = all_attacks();
  constexpr std::size_t kMostAttacks = 64;
  static const gdbench_plugin plugin = {sizeof plugin,
                                        GDBENCH_ABI_MAJOR,
                                        GDBENCH_ABI_MINOR,
                                        "attacks",
                                        "1",
                                        static_cast<std::int64_t>(attacks.size()),
                                        all_made(std::make_index_sequence<kMostAttacks>())};
  return &plugin;
}
