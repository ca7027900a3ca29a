#include <algorithm>
#include <optional>
#include <set>
#include <vector>

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

// What the states that have it say, smallest first.
std::vector<double> sorted(const std::vector<const DeviceState*>& states,
                           std::optional<double> DeviceState::*const member) {
  std::vector<double> values;
  for (const DeviceState* state : states) {
    if (state->*member) values.push_back(*(state->*member));
  }
  std::ranges::sort(values);
  return values;
}

// "1980 MHz", "1755 to 1980 MHz"; empty where nothing is known.
std::string range_words(const std::vector<double>& values, const std::string& unit) {
  if (values.empty()) return "";
  const std::string last = format_number(values.back());
  const std::string first = format_number(values.front());
  return (first == last ? "" : first + " to ") + last + " " + unit;
}

std::string largest_words(const std::vector<double>& values, const std::string& unit) {
  return values.empty() ? "" : format_number(values.back()) + " " + unit;
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
  std::string text;
  for (const std::string& name : names) join(text, name);
  text = "device" + (text.empty() ? "" : " " + text) + ":";
  std::string facts;
  std::string clock = range_words(sorted(states, &DeviceState::clock_mhz), "MHz");
  const std::string memory = range_words(sorted(states, &DeviceState::memory_clock_mhz), "MHz");
  if (!clock.empty()) join(facts, "clock " + clock);
  if (!memory.empty()) join(facts, "clock of the memory " + memory);
  std::string most = largest_words(sorted(states, &DeviceState::temperature_celsius), "degrees Celsius");
  const std::string power = largest_words(sorted(states, &DeviceState::power_watts), "W");
  if (!power.empty()) join(most, power);
  if (!most.empty()) join(facts, "up to " + most);
  text += " " + (facts.empty() ? "it says nothing of its clocks" : facts);
  std::string throttled;
  for (const std::string& reason : reasons) join(throttled, reason);
  return text + (throttled.empty() ? "" : "; throttled: " + throttled);
}

}  // namespace gdbench::answers
