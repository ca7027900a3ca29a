// The IDX format of the MNIST files: two zero bytes, a type byte, the number of dimensions, their sizes (32 bits, big
// endian), the elements in C order.
#pragma once

#include <filesystem>

#include "harness/base/result.h"
#include "harness/data/table.h"

namespace gdbench::data {

// Unsigned bytes: x is [rows, ...], flattened and divided by 255; labels [rows]. The largest label is the last class.
Result<Table> read_idx(const std::filesystem::path& x_file, const std::filesystem::path& labels_file);

}  // namespace gdbench::data
