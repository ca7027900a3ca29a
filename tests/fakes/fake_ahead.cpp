// An honest implementation of another plugin, wrapped so that its steps are made outside the clock: built once for each
// place where that can be tried, GDBENCH_FAKE_AHEAD. Of a state that it has foreseen it knows where every number of
// steps leads, up to the longest block that it was asked for; a run from there takes no time.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "gdbench/plugin.h"

namespace {

enum class Place { set_state, get_state, evaluate, thread, memory };
constexpr Place kPlace = Place::GDBENCH_FAKE_AHEAD;
constexpr const char* kIds[] = {"fake/ahead-set-state", "fake/ahead-get-state", "fake/ahead-evaluate",
                                "fake/ahead-thread", "fake/memoise"};

constexpr std::size_t kTrajectoryBytes = std::size_t{64} << 20;
constexpr std::size_t kTrajectories = 8;

struct alignas(GDBENCH_ALIGNMENT) Line {
  std::byte bytes[GDBENCH_ALIGNMENT];
};
using Image = std::vector<Line>;  // all parameters; problems with optimizer slots are not accepted

bool same(const Image& a, const Image& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Line)) == 0;
}

struct Trajectory {
  std::int64_t first_step = 0;
  std::vector<Image> states;  // after 0, 1, ... steps
};

struct Position {
  Image image;
  std::int64_t step = 0;
};

const gdbench_implementation* inner = nullptr;
gdbench_implementation outer{};

}  // namespace

struct gdbench_instance {
  gdbench_instance* wrapped = nullptr;
  std::vector<gdbench_tensor> shapes;
  std::size_t element_bytes = 0;
  Position start;          // the state that the host set last
  Position now;            // where the host believes the training to be
  bool elsewhere = false;  // the wrapped instance is not there
  std::uint64_t longest = 0;
  std::deque<Trajectory> known;
  std::thread helper;

  std::size_t size_of(const gdbench_tensor& tensor) const {
    return static_cast<std::size_t>(tensor.rows * tensor.columns) * element_bytes;
  }

  // Tensors of the problem's shapes that lie in `image`.
  std::vector<gdbench_tensor> tensors_in(Image& image) const {
    std::vector<gdbench_tensor> tensors = shapes;
    std::size_t lines = 0;
    for (const gdbench_tensor& shape : shapes) lines += (size_of(shape) + sizeof(Line) - 1) / sizeof(Line);
    image.resize(lines);
    std::size_t line = 0;
    for (gdbench_tensor& tensor : tensors) {
      tensor.data = image.data() + line;
      line += (size_of(tensor) + sizeof(Line) - 1) / sizeof(Line);
    }
    return tensors;
  }

  gdbench_status put(Position& position) {
    const std::vector<gdbench_tensor> tensors = tensors_in(position.image);
    const gdbench_state state{sizeof state, position.step, static_cast<std::int64_t>(tensors.size()), tensors.data(), 0,
                              nullptr,      nullptr};
    return inner->set_state(wrapped, &state);
  }

  gdbench_status take(Position& position) {
    const std::vector<gdbench_tensor> tensors = tensors_in(position.image);
    gdbench_state state{sizeof state, 0,      static_cast<std::int64_t>(tensors.size()), tensors.data(), 0,
                        nullptr,      nullptr};
    const gdbench_status status = inner->get_state(wrapped, &state);
    position.step = state.step;
    return status;
  }

  const Trajectory* find(const Position& from) const {
    for (const Trajectory& trajectory : known) {
      if (trajectory.first_step == from.step && same(trajectory.states.front(), from.image)) return &trajectory;
    }
    return nullptr;
  }

  // Makes the steps from `from` and remembers each; leaves the wrapped instance elsewhere.
  void foresee(Position from, std::uint64_t steps) {
    steps =
        std::min<std::uint64_t>(steps, kTrajectoryBytes / std::max<std::size_t>(1, from.image.size() * sizeof(Line)));
    if (steps == 0 || put(from) != GDBENCH_OK) return;
    Trajectory trajectory{from.step, {from.image}};
    for (std::uint64_t i = 0; i < steps && inner->run(wrapped, 1) == GDBENCH_OK; ++i) {
      Position next;
      if (take(next) != GDBENCH_OK) break;
      trajectory.states.push_back(std::move(next.image));
    }
    elsewhere = true;
    known.push_back(std::move(trajectory));
    if (known.size() > kTrajectories) known.pop_front();
  }

  void wait() {
    if (helper.joinable()) helper.join();
  }
};

namespace {

gdbench_status create(gdbench_instance** instance) {
  *instance = new gdbench_instance;
  return inner->create(&(*instance)->wrapped);
}

void destroy(gdbench_instance* instance) {
  instance->wait();
  inner->destroy(instance->wrapped);
  delete instance;
}

gdbench_status load(gdbench_instance* instance, const gdbench_data* data) {
  return inner->load(instance->wrapped, data);
}

gdbench_status prepare(gdbench_instance* instance, const gdbench_problem* problem, const gdbench_settings* settings) {
  instance->element_bytes = problem->dtype == GDBENCH_F32 ? sizeof(float) : sizeof(double);
  return inner->prepare(instance->wrapped, problem, settings);
}

gdbench_status set_state(gdbench_instance* self, const gdbench_state* state) {
  self->wait();
  self->shapes.assign(state->parameters, state->parameters + state->parameter_count);
  const std::vector<gdbench_tensor> tensors = self->tensors_in(self->start.image);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::memcpy(tensors[i].data, state->parameters[i].data, self->size_of(tensors[i]));
  }
  self->start.step = state->step;
  self->now = self->start;
  self->elsewhere = true;
  if (kPlace == Place::set_state) self->foresee(self->start, self->longest);
  if (self->find(self->now) != nullptr) return GDBENCH_OK;
  self->elsewhere = false;
  return self->put(self->now);
}

gdbench_status run(gdbench_instance* self, std::uint64_t steps) {
  self->wait();
  self->longest = std::max(self->longest, steps);
  if (kPlace == Place::memory && self->find(self->now) == nullptr) self->foresee(self->now, steps);
  const Trajectory* trajectory = self->find(self->now);
  if (trajectory != nullptr && trajectory->states.size() > steps) {
    self->now = {trajectory->states[steps], self->now.step + static_cast<std::int64_t>(steps)};
    self->elsewhere = true;
    return GDBENCH_OK;
  }
  if (self->elsewhere) {
    if (const gdbench_status status = self->put(self->now); status != GDBENCH_OK) return status;
    self->elsewhere = false;
  }
  const gdbench_status status = inner->run(self->wrapped, steps);
  return status == GDBENCH_OK ? self->take(self->now) : status;
}

gdbench_status get_state(gdbench_instance* self, gdbench_state* state) {
  self->wait();
  const std::vector<gdbench_tensor> tensors = self->tensors_in(self->now.image);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::memcpy(state->parameters[i].data, tensors[i].data, self->size_of(tensors[i]));
  }
  state->step = self->now.step;
  if (kPlace == Place::get_state) self->foresee(self->start, self->longest);
  if (kPlace == Place::thread) self->helper = std::thread([self] { self->foresee(self->start, self->longest); });
  return GDBENCH_OK;
}

gdbench_status evaluate(gdbench_instance* self, std::int32_t split, double* loss) {
  self->wait();
  if (self->elsewhere) {
    if (const gdbench_status status = self->put(self->now); status != GDBENCH_OK) return status;
    self->elsewhere = false;
  }
  const gdbench_status status = inner->evaluate(self->wrapped, split, loss);
  if (kPlace == Place::evaluate) self->foresee(self->now, self->longest);
  return status;
}

std::int32_t helper_threads_in_use(gdbench_instance* self) {
  const std::int32_t wrapped =
      inner->helper_threads_in_use != nullptr ? inner->helper_threads_in_use(self->wrapped) : inner->helper_threads;
  return wrapped + (kPlace == Place::thread ? 1 : 0);
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  void* const library = dlopen(GDBENCH_WRAPPED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library != nullptr ? dlsym(library, GDBENCH_PLUGIN_ENTRY_NAME) : nullptr;
  if (symbol == nullptr) {
    host->set_error(host->context, "the plugin to be wrapped cannot be opened");
    return nullptr;
  }
  const auto entry = reinterpret_cast<gdbench_plugin_entry_function>(symbol);
  const gdbench_plugin* const wrapped = entry(host);
  if (wrapped == nullptr) return nullptr;
  inner = wrapped->implementations[0];
  outer = *inner;
  outer.id = kIds[static_cast<int>(kPlace)];
  outer.description = "makes its steps outside the clock";
  outer.optimizers = GDBENCH_BIT(GDBENCH_SGD);
  if (kPlace == Place::thread) ++outer.helper_threads;
  outer.create = create;
  outer.destroy = destroy;
  outer.load = load;
  outer.prepare = prepare;
  outer.set_state = set_state;
  outer.get_state = get_state;
  outer.run = run;
  outer.sync = nullptr;
  outer.evaluate = evaluate;
  outer.profile = nullptr;
  outer.helper_threads_in_use = helper_threads_in_use;
  outer.runtime = nullptr;
  outer.imported = nullptr;
  static const gdbench_implementation* const implementations[] = {&outer};
  static gdbench_plugin plugin{};
  plugin = {sizeof plugin, GDBENCH_ABI_MAJOR, GDBENCH_ABI_MINOR, "fake", "1", 1, implementations};
  return &plugin;
}
