// Enumerations that are written by their names: a table of each, read as those of the catalogue are.
#pragma once

#include "harness/abi/catalogue.h"

namespace gdbench::result {

using catalogue::all_of;
using catalogue::find;
using catalogue::name_of;

template <class Enum>
struct Named {
  Enum value;
  const char* name;
};

}  // namespace gdbench::result
