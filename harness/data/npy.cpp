// NumPy's file format: numpy.lib.format's documentation ("NPY format", versions 1.0 to 3.0).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/data/npy_header.h"
#include "harness/data/table.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are read as they lie in the file");

struct Array {
  std::vector<std::int64_t> shape;
  bool is_integer = false;
  std::vector<double> values;
};

struct ElementType {
  const char* descr;
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

constexpr std::array<ElementType, 6> kElementTypes = {{
    {"<f4", 4, false, read_as<float>},
    {"<f8", 8, false, read_as<double>},
    {"<i4", 4, true, read_as<std::int32_t>},
    {"<i8", 8, true, read_as<std::int64_t>},
    {"|u1", 1, true, read_as<std::uint8_t>},
    {"<u1", 1, true, read_as<std::uint8_t>},
}};

// The header is a Python dictionary of three known keys; nothing else of Python is read.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<NpyHeader> parse() {
    NpyHeader header;
    int seen = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const std::optional<std::string> key = quoted_text();
      if (!key || !take(':')) return std::nullopt;
      const int bit = *key == "descr" ? 1 : *key == "fortran_order" ? 2 : *key == "shape" ? 4 : 0;
      if (bit == 0 || (seen & bit) != 0 || !value(bit, header)) return std::nullopt;
      seen |= bit;
      if (!take(',') && peek() != '}') return std::nullopt;
    }
    skip_space();
    if (seen != 7 || position_ != text_.size()) return std::nullopt;
    return header;
  }

 private:
  bool value(int bit, NpyHeader& header) {
    if (bit == 1) {
      const std::optional<std::string> descr = quoted_text();
      if (descr) header.descr = *descr;
      return descr.has_value();
    }
    if (bit == 4) return tuple(header.shape);
    header.fortran_order = word("True");
    return header.fortran_order || word("False");
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }

  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool take(char character) {
    if (peek() != character) return false;
    ++position_;
    return true;
  }

  bool word(std::string_view expected) {
    skip_space();
    if (text_.substr(position_, expected.size()) != expected) return false;
    position_ += expected.size();
    return true;
  }

  std::optional<std::string> quoted_text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return result;
  }

  bool tuple(std::vector<std::int64_t>& numbers) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::int64_t number = 0;
      int digits = 0;
      while (peek() >= '0' && peek() <= '9' && ++digits <= 12) number = number * 10 + (text_[position_++] - '0');
      if (digits == 0 || digits > 12) return false;
      numbers.push_back(number);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

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

Result<Array> read_array(const std::filesystem::path& file) {
  const std::string bytes = TRY(read_file(file, "an NPY file", max_data_bytes()));
  const NpyHeader header = TRY(parse_npy_header(file, bytes));
  const auto* type = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                  [&](const ElementType& known) { return header.descr == known.descr; });
  if (type == kElementTypes.end()) {
    return file_error(file, "elements of type " + in_quotes(header.descr), "one of <f4, <f8, <i4, <i8, |u1");
  }

  double count = 1;
  for (const std::int64_t size : header.shape) count *= static_cast<double>(size);
  const std::size_t data_bytes = bytes.size() - header.first_byte;
  if (count * static_cast<double>(type->bytes) != static_cast<double>(data_bytes)) {
    return file_error(file, std::to_string(data_bytes) + " bytes of elements",
                      shape_text(header.shape) + " of " + type->descr + " (the file is cut off or too long)");
  }
  Array array;
  array.shape = header.shape;
  array.is_integer = type->is_integer;
  array.values.resize(static_cast<std::size_t>(count));
  const char* element = bytes.data() + header.first_byte;
  for (double& value : array.values) {
    value = type->read(element);
    element += type->bytes;
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
  std::optional<NpyHeader> header = HeaderParser(parts->first).parse();
  if (!header) {
    return file_error(file, "NPY header " + in_quotes(parts->first), "a dictionary of descr, fortran_order and shape");
  }
  if (header->fortran_order) return file_error(file, "Fortran order", "C order (numpy.ascontiguousarray)");
  header->first_byte = parts->second;
  return *header;
}

Result<Table> read_npy(const std::filesystem::path& x_file, const std::filesystem::path& y_file, bool labels) {
  Array x = TRY(read_array(x_file));
  Array y = TRY(read_array(y_file));
  const std::vector<std::int64_t>& x_shape = x.shape;
  const std::vector<std::int64_t>& y_shape = y.shape;
  if (x_shape.size() != 2 || x.values.empty()) {
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
  table.features = x_shape[1];
  table.x = std::move(x.values);
  if (labels) {
    Status status = take_labels(y_file, y, table);
    if (!status.ok()) return status.error();
    return table;
  }
  table.outputs = y_shape.size() == 2 ? y_shape[1] : 1;
  table.y = std::move(y.values);
  return table;
}

}  // namespace gdbench::data
