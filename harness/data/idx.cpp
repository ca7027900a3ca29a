#include "harness/data/idx.h"

#include <algorithm>
#include <utility>

#include "harness/base/byte_source.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

namespace gdbench::data {

namespace {

constexpr unsigned kUnsignedByte = 0x08;
constexpr std::size_t kMaxDimensions = 8;

struct ByteArray {
  std::vector<std::int64_t> shape;
  std::string bytes;
  std::size_t begin = 0;  // of the elements
};

std::string type_name(unsigned type) {
  constexpr std::pair<unsigned, const char*> kTypes[] = {{0x09, "signed bytes"},
                                                         {0x0b, "16-bit integers"},
                                                         {0x0c, "32-bit integers"},
                                                         {0x0d, "32-bit floats"},
                                                         {0x0e, "64-bit floats"}};
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  return cat("elements of unknown type ", type);
}

Result<ByteArray> read_array(const std::filesystem::path& file, bool one_dimension) {
  ByteArray array;
  array.bytes = TRY(read_bytes(file, "an IDX file", max_data_bytes()));
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(array.bytes[i])); };
  if (array.bytes.size() < 4 || byte(0) != 0 || byte(1) != 0) return file_error(file, "no IDX magic", "an IDX file");
  if (byte(2) != kUnsignedByte) return file_error(file, type_name(byte(2)), "unsigned bytes");
  const std::size_t dimensions = byte(3);
  if (dimensions == 0 || dimensions > kMaxDimensions || (one_dimension && dimensions != 1)) {
    return file_error(
        file, std::to_string(dimensions) + " dimensions",
        one_dimension ? "1, the rows" : "1 to " + std::to_string(kMaxDimensions) + ", the first for the rows");
  }
  array.begin = 4 + 4 * dimensions;
  if (array.bytes.size() < array.begin) return file_error(file, "an IDX header that is cut off", "the whole file");
  double count = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::int64_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | byte(4 + 4 * d + i);
    array.shape.push_back(size);
    count *= static_cast<double>(size);
  }
  const std::size_t data_bytes = array.bytes.size() - array.begin;
  if (count != static_cast<double>(data_bytes)) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : array.shape) sizes.push_back(std::to_string(size));
    return file_error(file, std::to_string(data_bytes) + " bytes of elements",
                      joined(sizes, " x ") + " (the file is cut off or too long)");
  }
  if (data_bytes == 0) return file_error(file, "no rows", "some");
  return array;
}

}  // namespace

Result<Table> read_idx(const std::filesystem::path& x_file, const std::filesystem::path& labels_file) {
  const ByteArray pixels = TRY(read_array(x_file, false));
  const ByteArray classes = TRY(read_array(labels_file, true));
  if (classes.shape[0] != pixels.shape[0]) {
    return file_error(labels_file, std::to_string(classes.shape[0]) + " rows",
                      std::to_string(pixels.shape[0]) + " as in " + x_file.string());
  }
  Table table;
  table.rows = pixels.shape[0];
  table.features = static_cast<std::int64_t>(pixels.bytes.size() - pixels.begin) / table.rows;
  table.has_labels = true;
  table.x.reserve(pixels.bytes.size() - pixels.begin);
  for (std::size_t i = pixels.begin; i < pixels.bytes.size(); ++i) {
    table.x.push_back(static_cast<unsigned char>(pixels.bytes[i]) / 255.0);
  }
  for (std::size_t i = classes.begin; i < classes.bytes.size(); ++i) {
    table.labels.push_back(static_cast<unsigned char>(classes.bytes[i]));
    table.outputs = std::max<std::int64_t>(table.outputs, table.labels.back() + 1);
  }
  return table;
}

}  // namespace gdbench::data
