#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

using report::DeviceState;

std::vector<const DeviceState*> states_of(const report::Report& report) {
  std::vector<const DeviceState*> states;
  for (const report::Cell& cell : report.cells) {
    for (const report::Launch& launch : cell.launches) {
      if (launch.device) states.insert(states.end(), {&launch.device->first, &launch.device->last});
    }
  }
  return states;
}

// What the states that have it say.
std::vector<double> values_of(const std::vector<const DeviceState*>& states,
                              std::optional<double> DeviceState::*const member) {
  std::vector<double> values;
  for (const DeviceState* state : states) {
    if (state->*member) values.push_back(*(state->*member));
  }
  return values;
}

// "clock 1980 MHz", "clock 1755 to 1980 MHz"; empty where nothing is known.
std::string clock_words(const char* what, const std::vector<double>& values) {
  return values.empty() ? "" : what + range_words(values, std::identity(), format_number) + " MHz";
}

std::string largest_words(const std::vector<double>& values, const std::string& unit) {
  return values.empty() ? "" : format_number(std::ranges::max(values)) + " " + unit;
}

}  // namespace

std::string device_words(const report::Report& report) {
  const std::vector<const DeviceState*> states = states_of(report);
  if (states.empty()) return "";
  std::set<std::string> names;
  std::set<std::string> reasons;
  for (const DeviceState* state : states) {
    if (!state->name.empty()) names.insert(state->name);
    reasons.insert(state->throttled_by.begin(), state->throttled_by.end());
  }
  std::string facts;
  join(facts, clock_words("clock ", values_of(states, &DeviceState::clock_mhz)));
  join(facts, clock_words("clock of the memory ", values_of(states, &DeviceState::memory_clock_mhz)));
  std::string most = largest_words(values_of(states, &DeviceState::temperature_celsius), "degrees Celsius");
  join(most, largest_words(values_of(states, &DeviceState::power_watts), "W"));
  if (!most.empty()) join(facts, "up to " + most);
  return cat("device", names.empty() ? "" : " ", joined({names.begin(), names.end()}), ": ",
             facts.empty() ? "it says nothing of its clocks" : facts,
             reasons.empty() ? "" : "; throttled: ", joined({reasons.begin(), reasons.end()}));
}

}  // namespace gdbench::answers
