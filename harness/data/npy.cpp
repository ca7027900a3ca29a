#include "harness/data/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>

#include "harness/base/byte_source.h"
#include "harness/base/fields.h"
#include "harness/base/file.h"
#include "harness/base/json_reader.h"
#include "harness/base/record_reader.h"
#include "harness/base/text.h"
#include "harness/data/zip.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

FIELDS_OF(NpyHeader, descr, fortran_order, shape)

namespace {

constexpr std::int64_t kMaxSize = 1'000'000'000'000;  // of a dimension

static_assert(std::endian::native == std::endian::little, "elements are read as they lie in the file");

struct Array {
  std::vector<std::int64_t> shape;
  bool is_integer = false;
  std::vector<double> values;
};

struct ElementType {
  std::string_view name;  // behind the byte order
  std::size_t bytes;
  bool is_integer;
  double (*read)(const char* bytes);
};

template <class T>
double read_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

// IEEE 754's binary16.
double read_half(const char* bytes) {
  const double bits = read_as<std::uint16_t>(bytes);
  const auto whole = static_cast<unsigned>(bits);
  const int exponent = static_cast<int>(whole >> 10U & 0x1fU);
  const double fraction = static_cast<double>(whole & 0x3ffU);
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (whole & 0x8000U) != 0 ? -value : value;
}

constexpr ElementType kElementTypes[] = {{"f2", 2, false, read_half},
                                         {"f4", 4, false, read_as<float>},
                                         {"f8", 8, false, read_as<double>},
                                         {"i1", 1, true, read_as<std::int8_t>},
                                         {"i2", 2, true, read_as<std::int16_t>},
                                         {"i4", 4, true, read_as<std::int32_t>},
                                         {"i8", 8, true, read_as<std::int64_t>},
                                         {"u1", 1, true, read_as<std::uint8_t>},
                                         {"u2", 2, true, read_as<std::uint16_t>},
                                         {"u4", 4, true, read_as<std::uint32_t>},
                                         {"u8", 8, true, read_as<std::uint64_t>},
                                         {"b1", 1, true, read_as<bool>}};

// The header is a Python dictionary of three keys, which JSON spells with other signs and without commas at the end.
std::optional<NpyHeader> parse_dictionary(std::string_view dictionary) {
  std::string json;
  for (const char character : dictionary) {
    if (character == '}' || character == ')') {
      const std::size_t last = json.find_last_not_of(" \n");
      if (last != std::string::npos && json[last] == ',') json.erase(last);
    }
    json += character == '\'' ? '"' : character == '(' ? '[' : character == ')' ? ']' : character;
  }
  for (const auto& [word, literal] : {std::pair{"True", "true"}, std::pair{"False", "false"}}) {
    const std::size_t place = json.find(word);
    if (place != std::string::npos) json.replace(place, std::strlen(word), literal);
  }
  const Result<Json> parsed = parse_json(json);
  if (!parsed.ok()) return std::nullopt;
  Result<NpyHeader> header = RecordReader::read<NpyHeader>(parsed.value(), JsonDocument("header"));
  if (!header.ok()) return std::nullopt;
  return std::move(header).value();
}

// Where the elements begin, after magic, version and header; the header's text lies before. Nothing when truncated.
std::optional<std::pair<std::string_view, std::size_t>> split_header(std::string_view bytes, int version) {
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  if (bytes.size() < begin) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8U | static_cast<unsigned char>(bytes[8 + i]);
  if (bytes.size() - begin < length) return std::nullopt;
  return std::pair{bytes.substr(begin, length), begin + length};
}

// [rows, columns] from column after column.
std::vector<double> transposed(const std::vector<double>& values, std::int64_t rows) {
  const auto height = static_cast<std::size_t>(rows);
  const std::size_t width = values.size() / height;
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i % height * width + i / height] = values[i];
  return result;
}

// Of a file, or of a member of an archive: FILE.npz/NAME.
Result<std::string> bytes_of(const std::filesystem::path& file) {
  const std::filesystem::path archive = file.parent_path();
  if (archive.extension() != ".npz" || !std::filesystem::is_regular_file(archive)) {
    return read_bytes(file, "an NPY file", max_data_bytes());
  }
  const std::string bytes = TRY(read_file(archive, "an archive of NPY files", max_data_bytes()));
  return zip_member(archive, bytes, file.filename().string() + (file.extension() == ".npy" ? "" : ".npy"));
}

Result<Array> read_array(const std::filesystem::path& file) {
  std::string bytes = TRY(bytes_of(file));
  const NpyHeader header = TRY(parse_npy_header(file, bytes));
  // An order and a type: "<f8".
  const std::string descr = header.descr.empty() ? " " : header.descr;
  const auto* type =
      std::ranges::find_if(kElementTypes, [&](const ElementType& known) { return descr.substr(1) == known.name; });
  const std::size_t order = std::string_view("<>|=").find(descr.front());
  if (type == std::end(kElementTypes) || order == std::string::npos) {
    return file_error(file, "elements of type " + in_quotes(header.descr),
                      "numbers: f2, f4, f8, i1 to i8, u1 to u8, b1");
  }

  double count = 1;
  for (const std::int64_t size : header.shape) count *= static_cast<double>(size);
  const std::size_t data_bytes = bytes.size() - header.first_byte;
  if (count * static_cast<double>(type->bytes) != static_cast<double>(data_bytes)) {
    return file_error(file, std::to_string(data_bytes) + " bytes of elements",
                      shape_text(header.shape) + " of " + header.descr + " (the file is cut off or too long)");
  }
  Array array;
  array.shape = header.shape;
  array.is_integer = type->is_integer;
  array.values.resize(static_cast<std::size_t>(count));
  char* element = bytes.data() + header.first_byte;
  for (double& value : array.values) {
    if (header.descr[0] == '>') std::reverse(element, element + type->bytes);
    value = type->read(element);
    element += type->bytes;
  }
  if (header.fortran_order && array.shape.size() > 2) {
    return file_error(file, "Fortran order of " + shape_text(array.shape), "C order (numpy.ascontiguousarray)");
  }
  if (header.fortran_order && array.shape.size() == 2 && !array.values.empty()) {
    array.values = transposed(array.values, array.shape[0]);
  }
  return array;
}

// Turns [rows] or [rows, 1] integers into labels.
Status take_labels(const std::filesystem::path& file, const Array& y, Table& table) {
  if (!y.is_integer) return file_error(file, "elements that are no integers", "integer class labels");
  if (y.shape.size() == 2 && y.shape[1] != 1) return file_error(file, shape_text(y.shape), "shape [rows] of labels");
  table.has_labels = true;
  for (std::size_t row = 0; row < y.values.size(); ++row) {
    const double label = y.values[row];
    if (label < 0 || label >= static_cast<double>(scenario::kMaxColumns)) {
      const std::string text = std::to_string(label);
      return file_error(file,
                        "label " + text.substr(0, text.find('.')) + " in row " + std::to_string(row) + " (from 0)",
                        "a class from 0 to " + std::to_string(scenario::kMaxColumns - 1));
    }
    table.labels.push_back(static_cast<std::int32_t>(label));
    table.outputs = std::max(table.outputs, static_cast<std::int64_t>(label) + 1);
  }
  return {};
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) sizes.push_back(std::to_string(size));
  return "shape [" + joined(sizes) + "]";
}

std::string npy_header(std::int64_t rows, std::int64_t columns) {
  std::string header("\x93NUMPY\x01\x00\x76\x00", 10);
  header += cat("{'descr': '<f8', 'fortran_order': False, 'shape': (", rows, ", ", columns, "), }");
  header.resize(kNpyHeaderBytes - 1, ' ');
  return header + '\n';
}

Result<NpyHeader> parse_npy_header(const std::filesystem::path& file, std::string_view bytes) {
  const std::string_view magic = "\x93NUMPY";
  if (bytes.size() < 8 || bytes.substr(0, 6) != magic) return file_error(file, "no NPY magic", "an NPY file");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3 || bytes[7] != 0) {
    return file_error(file, "NPY version " + std::to_string(version) + "." + std::to_string(static_cast<int>(bytes[7])),
                      "version 1.0, 2.0 or 3.0");
  }
  const auto parts = split_header(bytes, version);
  if (!parts) return file_error(file, "an NPY header that is cut off", "the whole file");
  std::optional<NpyHeader> header = parse_dictionary(parts->first);
  if (!header && parts->first.find("[(") != std::string_view::npos) {
    return file_error(file, "a structured array", "one of numbers (numpy.lib.recfunctions.structured_to_unstructured)");
  }
  if (!header) {
    return file_error(file, "NPY header " + in_quotes(parts->first),
                      "a dictionary of descr, fortran_order and shape, of sizes below 10^12");
  }
  const auto fits = [](std::int64_t size) { return size >= 0 && size < kMaxSize; };
  if (!std::ranges::all_of(header->shape, fits)) {
    return file_error(file, shape_text(header->shape), "sizes from 0 to below 10^12");
  }
  header->first_byte = parts->second;
  return *header;
}

Result<std::vector<double>> read_npy_array(const std::filesystem::path& file, const std::vector<std::int64_t>& shape) {
  Array array = TRY(read_array(file));
  if (array.shape != shape) return file_error(file, shape_text(array.shape), shape_text(shape));
  const auto wrong = std::ranges::find_if_not(array.values, [](double value) { return std::isfinite(value); });
  if (wrong == array.values.end()) return std::move(array.values);
  return file_error(file, formatted("%g at element %td (from 0)", *wrong, wrong - array.values.begin()),
                    "finite numbers");
}

Result<Table> read_npy(const std::filesystem::path& x_file, const std::filesystem::path& y_file, bool labels) {
  Array x = TRY(read_array(x_file));
  Array y = TRY(read_array(y_file));
  const std::vector<std::int64_t>& x_shape = x.shape;
  const std::vector<std::int64_t>& y_shape = y.shape;
  if (x_shape.size() < 2 || x.values.empty()) {
    return file_error(x_file, shape_text(x_shape), "shape [rows, features], none of them 0");
  }
  if (y_shape.empty() || y_shape.size() > 2 || y.values.empty()) {
    return file_error(y_file, shape_text(y_shape), "shape [rows] or [rows, outputs]");
  }
  if (y_shape[0] != x_shape[0]) {
    return file_error(y_file, std::to_string(y_shape[0]) + " rows",
                      std::to_string(x_shape[0]) + " as in " + x_file.string());
  }
  Table table;
  table.rows = x_shape[0];
  table.features = static_cast<std::int64_t>(x.values.size()) / table.rows;
  table.x = std::move(x.values);
  if (labels) {
    TRY(take_labels(y_file, y, table));
    return table;
  }
  table.outputs = y_shape.size() == 2 ? y_shape[1] : 1;
  table.y = std::move(y.values);
  return table;
}

}  // namespace gdbench::data
