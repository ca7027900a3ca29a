#include "app/npy_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace gdbench::app {

namespace {

// Magic, version, length and a Python dictionary, padded with spaces to a multiple of 64 bytes (numpy.lib.format).
std::string header(const char* descr, std::int64_t rows, std::int64_t columns) {
  const std::string shape = columns == 0 ? "(" + std::to_string(rows) + ",)"
                                         : "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
  std::string dictionary = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shape + ", }";
  constexpr std::size_t kPrefix = 10;
  const std::size_t unpadded = kPrefix + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary.push_back('\n');
  std::string text("\x93NUMPY\x01\x00", 8);
  text.push_back(static_cast<char>(dictionary.size() & 0xff));
  text.push_back(static_cast<char>(dictionary.size() >> 8));
  return text + dictionary;
}

template <class T>
Status write(const std::filesystem::path& file, const char* descr, const T* values, std::int64_t rows,
             std::int64_t columns) {
  std::ofstream stream(file, std::ios::binary);
  stream << header(descr, rows, columns);
  const std::int64_t count = rows * std::max<std::int64_t>(columns, 1);
  stream.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(sizeof(T)) * count);
  stream.close();
  if (stream) return {};
  return usage_error(file.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

Status write_npy(const std::filesystem::path& file, const float* values, std::int64_t rows, std::int64_t columns) {
  return write(file, "<f4", values, rows, columns);
}

Status write_npy(const std::filesystem::path& file, const double* values, std::int64_t rows, std::int64_t columns) {
  return write(file, "<f8", values, rows, columns);
}

Status write_npy(const std::filesystem::path& file, const std::int32_t* values, std::int64_t rows,
                 std::int64_t columns) {
  return write(file, "<i4", values, rows, columns);
}

Status write_npy(const std::filesystem::path& file, const std::uint32_t* values, std::int64_t rows,
                 std::int64_t columns) {
  return write(file, "<u4", values, rows, columns);
}

}  // namespace gdbench::app
