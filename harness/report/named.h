// Enumerations that are written by their names: a table of each, read as those of the catalogue are.
#pragma once

#include "harness/abi/catalogue.h"

namespace gdbench::report {

using catalogue::all_of;
using catalogue::find;
using catalogue::name_of;
using catalogue::Named;

}  // namespace gdbench::report
