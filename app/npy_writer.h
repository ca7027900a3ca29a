// Writes NumPy's file format, version 1.0, so that anyone can check a trajectory with NumPy or PyTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/base/result.h"

namespace gdbench::app {

// C-ordered arrays of shape [rows, columns]; columns 0 means a vector [rows]. Errors: the file cannot be written.
Status write_npy(const std::filesystem::path& file, const float* values, std::int64_t rows, std::int64_t columns);
Status write_npy(const std::filesystem::path& file, const double* values, std::int64_t rows, std::int64_t columns);
Status write_npy(const std::filesystem::path& file, const std::int32_t* values, std::int64_t rows,
                 std::int64_t columns);
Status write_npy(const std::filesystem::path& file, const std::uint32_t* values, std::int64_t rows,
                 std::int64_t columns);

}  // namespace gdbench::app
