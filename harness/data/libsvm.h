// Files of LIBSVM and SVMlight: a line for each row, "TARGET INDEX:VALUE INDEX:VALUE ...", without the zeros.
#pragma once

#include <filesystem>

#include "harness/base/result.h"
#include "harness/data/table.h"

namespace gdbench::data {

// Indices count from 1, unless there is a 0. As many features as the largest index needs. Targets as read_csv has them;
// of shares two numbers or texts are 0 and 1. "qid:N" and comments behind "#" are passed over. Errors name the line.
Result<Table> read_libsvm(const std::filesystem::path& file, catalogue::Targets targets);

}  // namespace gdbench::data
