// NumPy's file format: numpy.lib.format's documentation ("NPY format", versions 1.0 to 3.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/table.h"

namespace gdbench::data {

// x is [rows, features], of which there may be several dimensions; y is [rows] or [rows, outputs], with `labels` [rows]
// of integers, classes 0 to the largest.
Result<Table> read_npy(const std::filesystem::path& x_file, const std::filesystem::path& y_file, bool labels);

// The elements of an array of this shape in C order. `file` may be FILE.npz/NAME. Errors: those of an NPY file, another
// shape, an element that is not finite.
Result<std::vector<double>> read_npy_array(const std::filesystem::path& file, const std::vector<std::int64_t>& shape);

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t first_byte = 0;  // where the elements begin
};

// `bytes` is a file's beginning; `file` names it in messages. Errors: no NPY file, a header that is cut off or not
// understood.
Result<NpyHeader> parse_npy_header(const std::filesystem::path& file, std::string_view bytes);

// That of an array [rows, columns] of <f8 in C order, version 1.0; its elements follow.
constexpr std::size_t kNpyHeaderBytes = 128;
std::string npy_header(std::int64_t rows, std::int64_t columns);

// "shape [3, 2]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace gdbench::data
