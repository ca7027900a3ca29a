// The beginning of a NumPy file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace gdbench::data {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t first_byte = 0;  // where the elements begin
};

// `bytes` is a file's beginning; `file` names it in messages. Errors: no NPY file, a header that is cut off or that
// nobody understands, Fortran order.
Result<NpyHeader> parse_npy_header(const std::filesystem::path& file, std::string_view bytes);

// "shape [3, 2]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace gdbench::data
