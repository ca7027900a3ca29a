// The comparing half of reference trajectory.h.
#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify {

namespace {

std::string format(double value, const char* pattern) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

std::string value_text(double value) { return format(value, "%.9g"); }
std::string size_text(double value) { return format(value, "%.1e"); }

// "w1[3,7]", "b1[7]".
std::string entry_name(const ExpectedTensor& tensor, std::int64_t entry) {
  std::string index = std::to_string(entry % tensor.columns);
  if (tensor.name.front() != 'b') index = std::to_string(entry / tensor.columns) + "," + index;
  return tensor.name + "[" + index + "]";
}

std::string after(std::int64_t steps) { return ", after " + std::to_string(steps) + (steps == 1 ? " step" : " steps"); }

// What differs in form: number of tensors and entries, step number. Empty where nothing does.
std::string form_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  if (actual.parameters.size() != reference.tensors.size()) {
    return "the state has " + std::to_string(actual.parameters.size()) + " parameters, expected " +
           std::to_string(reference.tensors.size());
  }
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const ExpectedTensor& tensor = reference.tensors[p];
    const std::int64_t size = tensor.rows * tensor.columns;
    if (static_cast<std::int64_t>(actual.parameters[p].size()) == size) continue;
    return tensor.name + " has " + std::to_string(actual.parameters[p].size()) + " entries, expected " +
           std::to_string(size);
  }
  const std::int64_t step = reference.start.step + reference.steps;
  if (actual.step == step) return "";
  return "the state's step number is " + std::to_string(actual.step) + ", expected " + std::to_string(step) +
         after(reference.steps);
}

// The first entry that is NaN or infinite. Empty where there is none.
std::string finite_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const std::vector<double>& values = actual.parameters[p];
    std::int64_t first = -1;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      if (count++ == 0) first = static_cast<std::int64_t>(i);
    }
    if (count == 0) continue;
    return entry_name(reference.tensors[p], first) + " is " + value_text(values[static_cast<std::size_t>(first)]) +
           ", expected a finite number; " + std::to_string(count) + " of " + std::to_string(values.size()) +
           " entries are not finite" + after(reference.steps);
  }
  return "";
}

struct WorstEntry {
  std::int64_t entry = 0;
  double actual = 0;
  double expected = 0;
  long double difference = -1;
};

// The entry that is the furthest beyond its own tolerance, by its ratio; empty where none is.
struct WrongEntry {
  double excess = 1;
  std::string reason;
};
WrongEntry wrong_entry(const ExpectedTensor& tensor, const std::vector<double>& actual, std::int64_t steps) {
  WrongEntry worst;
  std::size_t count = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < tensor.entry_tolerances.size(); ++i) {
    const double difference = static_cast<double>(std::abs(static_cast<long double>(actual[i]) - tensor.values[i]));
    const double tolerance = tensor.entry_tolerances[i];
    if (difference <= tolerance) continue;
    ++count;
    const double excess = tolerance > 0 ? difference / tolerance : std::numeric_limits<double>::infinity();
    if (excess <= worst.excess) continue;
    worst.excess = excess;
    place = i;
  }
  if (count == 0) return worst;
  worst.reason = entry_name(tensor, static_cast<std::int64_t>(place)) + " is " + value_text(actual[place]) +
                 ", expected " + value_text(static_cast<double>(tensor.values[place])) + ", tolerance " +
                 size_text(tensor.entry_tolerances[place]) + "; " + std::to_string(count) + " of " +
                 std::to_string(actual.size()) + " entries are off by more than theirs" + after(steps);
  return worst;
}

TensorCheck check_tensor(const ExpectedTensor& tensor, const std::vector<double>& actual, WorstEntry& worst) {
  long double sum = 0;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const long double difference = std::abs(static_cast<long double>(actual[i]) - tensor.values[i]);
    sum += difference * difference;
    if (difference <= worst.difference) continue;
    worst = {static_cast<std::int64_t>(i), actual[i], static_cast<double>(tensor.values[i]), difference};
  }
  TensorCheck result;
  result.name = tensor.name;
  result.error = static_cast<double>(std::sqrt(sum));
  result.tolerance = tensor.tolerance;
  result.relative = tensor.scale > 0 ? result.error / tensor.scale : result.error;
  return result;
}

}  // namespace

Check check(const ReferenceTrajectory& reference, const scenario::State& actual, double loss) {
  Check result;
  result.loss = loss;
  result.reason = form_error(reference, actual);
  if (result.reason.empty()) result.reason = finite_error(reference, actual);
  if (!result.reason.empty()) return result;

  // The tensor that exceeds its tolerance by the largest factor speaks for all.
  double largest_excess = 0;
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const ExpectedTensor& tensor = reference.tensors[p];
    WorstEntry worst;
    const TensorCheck tensor_check = check_tensor(tensor, actual.parameters[p], worst);
    result.tensors.push_back(tensor_check);
    if (const WrongEntry wrong = wrong_entry(tensor, actual.parameters[p], reference.steps);
        tensor_check.error <= tensor_check.tolerance && wrong.excess > largest_excess && !wrong.reason.empty()) {
      largest_excess = wrong.excess;
      result.reason = wrong.reason;
    }
    if (tensor_check.error <= tensor_check.tolerance) continue;
    const double excess = tensor_check.tolerance > 0 ? tensor_check.error / tensor_check.tolerance
                                                     : std::numeric_limits<double>::infinity();
    if (excess <= largest_excess) continue;
    largest_excess = excess;
    result.reason = entry_name(tensor, worst.entry) + " is " + value_text(worst.actual) + ", expected " +
                    value_text(worst.expected) + "; the tensor is off by " + size_text(tensor_check.error) +
                    ", tolerance " + size_text(tensor_check.tolerance) + after(reference.steps);
  }
  if (result.reason.empty() && reference.evaluated && !std::isnan(loss)) {
    const double difference = std::abs(loss - reference.final_loss);
    if (!(difference <= reference.loss_tolerance)) {
      result.reason = "the loss is " + value_text(loss) + ", expected " + value_text(reference.final_loss) +
                      "; it is off by " + size_text(difference) + ", tolerance " + size_text(reference.loss_tolerance) +
                      after(reference.steps);
    }
  }
  result.ok = result.reason.empty();
  return result;
}

double displacement(const scenario::State& a, const scenario::State& b) {
  if (a.parameters.size() != b.parameters.size()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t p = 0; p < a.parameters.size(); ++p) {
    if (a.parameters[p].size() != b.parameters[p].size()) return std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < a.parameters[p].size(); ++i) {
      const double difference = b.parameters[p][i] - a.parameters[p][i];
      sum += difference * difference;
    }
  }
  return std::sqrt(sum);
}

}  // namespace gdbench::verify
