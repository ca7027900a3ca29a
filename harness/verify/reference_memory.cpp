#include "harness/verify/reference_memory.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/verify/muon.h"

namespace gdbench::verify {

namespace {

using scenario::Problem;

constexpr double kRowsOfChunk = 256;
constexpr double kArraysOfChunk = 6;  // per layer: activations, pre-activations, upstream, deltas, two before rounding
constexpr double kArraysOfNormalization = 3;
constexpr double kGiB = 0x1p30;

double parameter_count(const Problem& problem) {
  double count = 0;
  for (const scenario::ParameterShape& shape : parameter_shapes(problem)) count += static_cast<double>(shape.size());
  return count;
}

// What the largest matrix takes that is moved as one: it, what becomes of it, and two of its shorter side.
double matrix_numbers(const Problem& problem) {
  double most = 0;
  for (const MovedMatrix& matrix : moved_matrices(problem)) {
    const auto shorter = static_cast<double>(std::min(matrix.rows, matrix.columns));
    most = std::max(most, 2 * static_cast<double>(matrix.rows * matrix.columns) + 2 * shorter * shorter);
  }
  return most;
}

// Of one parameter with its slots.
double bytes_per_parameter(const Problem& problem) {
  const bool mixed = catalogue::is_mixed(problem.dtype);
  const double own = problem.dtype == scenario::Dtype::f64 ? 8 : 4;
  const double wide = 2 * own;
  const double held = 1 + static_cast<double>(scenario::slot_count(problem.optimizer.kind));
  const double start = 8 * held;  // of a trajectory; States are in double
  const double expected_values = 16;
  const double entry_tolerances = 4;
  const double directions = problem.optimizer.kind == scenario::OptimizerKind::lion ? 1 : 0;
  const double matrices = matrix_numbers(problem) / parameter_count(problem);
  const double unrounded = problem.rounds_parameters() ? 1 : 0;
  const double state = held + directions + unrounded;  // numbers of a trajectory's type; and its last gradients
  const double in_step = state + 2 + matrices;         // and gradients, and the parameters before them
  const bool jumps = std::ranges::any_of(problem.layers, [](const scenario::Layer& layer) {
    return catalogue::row_of(layer.activation).slope == catalogue::Slope::jumps_at_zero;
  });
  const double ties = jumps && problem.task != scenario::Task::update ? 8 : 0;
  const double followed = wide * (state + 1) + ties;
  // One trajectory is followed while others are held: the own type's, or the one with other ties; then what is expected
  // is made from them; then states of cells are compared with that, which lie in three images.
  const double own_followed = followed + own * in_step + ties;
  const double ties_followed = ties > 0 ? followed + own + wide * in_step + ties : 0;
  const double made = followed + own + expected_values + entry_tolerances + (wide > 8 ? 8 : 0);
  const double compared = expected_values + entry_tolerances + 3 * own * held + 8 * held;
  const double peak = start + std::max({own_followed, ties_followed, made, compared});
  // The single step is made while the whole trajectory is held.
  return mixed ? peak + start + expected_values + own * held : peak;
}

std::string in_gib(double bytes) { return formatted("%.3g GiB", bytes / kGiB); }

std::string found_size(const Problem& problem, const char* what, double bytes) {
  return formatted(
      "/model: found %.0f parameters with %zu optimizer slots each, whose %s takes about %s of memory, "
      "expected at most ",
      parameter_count(problem), scenario::slot_count(problem.optimizer.kind), what, in_gib(bytes).c_str());
}

Status check_available(const Problem& problem, const char* what, double bytes, const MemorySource& memory) {
  const auto available = static_cast<double>(wait_for_memory(static_cast<std::uint64_t>(bytes), memory));
  if (bytes <= available) return {};
  return usage_error(found_size(problem, what, bytes) + "the " + in_gib(available) +
                     " that the machine has available (a smaller model)");
}

}  // namespace

double reference_bytes(const Problem& problem) {
  double width = 0;
  for (const scenario::Layer& layer : problem.layers) {
    const bool normalized = layer.normalization != scenario::Normalization::none;
    const double arrays = kArraysOfChunk + (normalized ? kArraysOfNormalization : 0);
    width += static_cast<double>(layer.inputs) + arrays * static_cast<double>(layer.outputs);
  }
  const double wide = problem.dtype == scenario::Dtype::f64 ? 16 : 8;
  const double rows = std::min(kRowsOfChunk, static_cast<double>(problem.rows));
  constexpr double kMargin = 1.1;  // for what small tensors and the allocator take
  return kMargin * (bytes_per_parameter(problem) * parameter_count(problem) + wide * rows * width);
}

Status check_start_memory(const Problem& problem, const MemorySource& memory) {
  const double slots = static_cast<double>(scenario::slot_count(problem.optimizer.kind));
  return check_available(problem, "start state", sizeof(double) * (1 + slots) * parameter_count(problem), memory);
}

Status check_reference_memory(const Problem& problem, double cap_bytes, const MemorySource& memory) {
  constexpr const char* kWhat = "reference";
  const double bytes = reference_bytes(problem);
  if (bytes <= cap_bytes) return check_available(problem, kWhat, bytes, memory);
  return usage_error(found_size(problem, kWhat, bytes) + in_gib(cap_bytes) +
                     " (a smaller model, or a larger --memory-cap)");
}

}  // namespace gdbench::verify
