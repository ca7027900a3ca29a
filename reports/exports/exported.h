// What every export takes from a report: whose times it holds, and what is said of the run as a whole.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::exports {

// A value of the environment by JSON pointer; `otherwise` where the machine did not say.
template <class T>
T environment_value(const OrderedJson& environment, const char* pointer, T otherwise) {
  const OrderedJson::json_pointer place(pointer);
  if (!environment.is_object() || !environment.contains(place)) return otherwise;
  const OrderedJson& value = environment[place];
  const bool fits = std::is_same_v<T, std::string> ? value.is_string() : value.is_number();
  return fits ? value.get<T>() : otherwise;
}

// The cell's id in one line of characters that every format may hold.
std::string exported_name(const report::Cell& cell);

struct ExportedCell {
  std::string name;  // of no other one
  const report::Cell* cell = nullptr;
};

// The cells whose step has a time, a finite and positive one, in the report's order. A/A controls are left out, because
// they are other cells again; so is a cell whose name an earlier one has.
std::vector<ExportedCell> timed_cells(const report::Report& report);

// Names and values, each in one line: commit, processor, kernel, compiler, matrix. What is not known is left out.
std::vector<std::pair<std::string, std::string>> facts_of(const report::Report& report);

}  // namespace gdbench::exports
