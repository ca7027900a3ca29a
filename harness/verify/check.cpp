#include "harness/verify/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/text.h"
#include "harness/verify/narrow.h"

namespace gdbench::verify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "w1[3,7]", "b1[7]".
std::string entry_name(const ExpectedTensor& tensor, std::size_t entry) {
  const auto place = static_cast<std::int64_t>(entry);
  std::string index = std::to_string(place % tensor.columns);
  if (tensor.name.front() != 'b') index = std::to_string(place / tensor.columns) + "," + index;
  return tensor.name + "[" + index + "]";
}

std::string after(std::int64_t steps) { return cat(", after ", steps, steps == 1 ? " step" : " steps"); }

// "w1[3,7] is 0.5, expected 0.25".
std::string difference_text(const ExpectedTensor& tensor, const std::vector<double>& actual, std::size_t entry) {
  return formatted("%s is %.9g, expected %.9g", entry_name(tensor, entry).c_str(), actual[entry],
                   static_cast<double>(tensor.values[entry]));
}

// What differs in form: number of tensors and entries, step number. Empty where nothing does.
std::string form_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  if (actual.parameters.size() != reference.tensors.size()) {
    return cat("the state has ", actual.parameters.size(), " parameters, expected ", reference.tensors.size());
  }
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const ExpectedTensor& tensor = reference.tensors[p];
    const std::int64_t size = tensor.rows * tensor.columns;
    if (static_cast<std::int64_t>(actual.parameters[p].size()) == size) continue;
    return cat(tensor.name, " has ", actual.parameters[p].size(), " entries, expected ", size);
  }
  const std::int64_t step = reference.start.step + reference.steps;
  if (actual.step == step) return "";
  return cat("the state's step number is ", actual.step, ", expected ", step, after(reference.steps));
}

// Of what is kept of the scale of the loss. Empty where nothing differs.
std::string scaling_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  constexpr const char* kNames[] = {"the scale of the loss", "the number of updates at this scale",
                                    "the number of skipped steps"};
  const std::vector<double>& expected = reference.loss_scaling;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i < actual.loss_scaling.size() && actual.loss_scaling[i] == expected[i]) continue;
    const double found = i < actual.loss_scaling.size() ? actual.loss_scaling[i] : std::nan("");
    return formatted("%s is %.9g, expected %.9g", kNames[i], found, expected[i]) + after(reference.steps);
  }
  return "";
}

// The first entry that is NaN or infinite. Empty where there is none.
std::string finite_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  const auto is_wrong = [](double value) { return !std::isfinite(value); };
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const std::vector<double>& values = actual.parameters[p];
    const auto first = std::find_if(values.begin(), values.end(), is_wrong);
    if (first == values.end()) continue;
    const std::string name = entry_name(reference.tensors[p], static_cast<std::size_t>(first - values.begin()));
    return formatted("%s is %.9g, expected a finite number; %td of %zu entries are not finite", name.c_str(), *first,
                     std::count_if(first, values.end(), is_wrong), values.size()) +
           after(reference.steps);
  }
  return "";
}

// The first entry that is no bfloat16 although it has to be one. Empty where there is none.
std::string format_error(const ReferenceTrajectory& reference, const scenario::State& actual) {
  for (std::size_t p = 0; reference.bfloat16_parameters && p < reference.tensors.size(); ++p) {
    const std::vector<double>& values = actual.parameters[p];
    const auto first = std::ranges::find_if(values, [](double v) { return narrowed(v, catalogue::kBfloat16) != v; });
    if (first == values.end()) continue;
    const std::string name = entry_name(reference.tensors[p], static_cast<std::size_t>(first - values.begin()));
    return formatted("%s is %.9g, expected a bfloat16", name.c_str(), *first) + after(reference.steps);
  }
  return "";
}

// How many times a difference is its tolerance.
double excess_of(double difference, double tolerance) { return tolerance > 0 ? difference / tolerance : kInfinity; }

// What is wrong with a tensor, and by which factor it exceeds its tolerance; empty where nothing is.
struct Fault {
  double excess = 0;
  std::string reason;
};

// The entry that is the furthest beyond its own tolerance.
Fault entry_fault(const ExpectedTensor& tensor, const std::vector<double>& actual, std::int64_t steps) {
  double excess = 1;
  std::size_t count = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < tensor.entry_tolerances.size(); ++i) {
    const double difference = static_cast<double>(std::abs(static_cast<long double>(actual[i]) - tensor.values[i]));
    const double tolerance = tensor.entry_tolerances[i];
    if (difference <= tolerance) continue;
    ++count;
    if (excess_of(difference, tolerance) <= excess) continue;
    excess = excess_of(difference, tolerance);
    worst = i;
  }
  if (count == 0) return {};
  return {excess, difference_text(tensor, actual, worst) +
                      formatted(", tolerance %.1e; %zu of %zu entries are off by more than theirs",
                                double{tensor.entry_tolerances[worst]}, count, actual.size()) +
                      after(steps)};
}

TensorCheck check_tensor(const ExpectedTensor& tensor, const std::vector<double>& actual) {
  long double sum = 0;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const long double difference = static_cast<long double>(actual[i]) - tensor.values[i];
    sum += difference * difference;
  }
  const auto error = static_cast<double>(std::sqrt(sum));
  return {tensor.name, error, tensor.tolerance, tensor.scale > 0 ? error / tensor.scale : error};
}

// The fault of a tensor beyond its tolerance names the entry that is furthest off; else it is a single entry's.
Fault fault_of(const ExpectedTensor& tensor, const std::vector<double>& actual, const TensorCheck& check,
               std::int64_t steps) {
  if (check.error <= check.tolerance) return entry_fault(tensor, actual, steps);
  std::size_t worst = 0;
  long double largest = -1;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const long double difference = std::abs(static_cast<long double>(actual[i]) - tensor.values[i]);
    if (difference <= largest) continue;
    largest = difference;
    worst = i;
  }
  return {excess_of(check.error, check.tolerance),
          difference_text(tensor, actual, worst) +
              formatted("; the tensor is off by %.1e, tolerance %.1e", check.error, check.tolerance) + after(steps)};
}

}  // namespace

Check check(const ReferenceTrajectory& reference, const scenario::State& actual, double loss) {
  Check result;
  result.loss = loss;
  result.reason = form_error(reference, actual);
  if (result.reason.empty()) result.reason = finite_error(reference, actual);
  if (result.reason.empty()) result.reason = scaling_error(reference, actual);
  if (result.reason.empty()) result.reason = format_error(reference, actual);
  if (!result.reason.empty()) return result;

  // The tensor that exceeds its tolerance by the largest factor speaks for all.
  double largest_excess = 0;
  for (std::size_t p = 0; p < reference.tensors.size(); ++p) {
    const ExpectedTensor& tensor = reference.tensors[p];
    result.tensors.push_back(check_tensor(tensor, actual.parameters[p]));
    Fault fault = fault_of(tensor, actual.parameters[p], result.tensors.back(), reference.steps);
    if (fault.reason.empty() || fault.excess <= largest_excess) continue;
    largest_excess = fault.excess;
    result.reason = std::move(fault.reason);
  }
  if (result.reason.empty() && reference.evaluated && !std::isnan(loss)) {
    const double difference = std::abs(loss - reference.final_loss);
    if (!(difference <= reference.loss_tolerance)) {
      result.reason = formatted("the loss is %.9g, expected %.9g; it is off by %.1e, tolerance %.1e", loss,
                                reference.final_loss, difference, reference.loss_tolerance) +
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
