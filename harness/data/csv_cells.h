// A cell of a CSV file as a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/scenario/data_source.h"

namespace gdbench::data {

// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

// A finite number, the whole cell.
std::optional<double> cell_number(std::string_view cell, const scenario::NumberFormat& format = {});

// The key of /data that would read a cell which is no number in this format; empty where there is none.
std::string remedy_for(std::string_view cell, const scenario::NumberFormat& format);

}  // namespace gdbench::data
