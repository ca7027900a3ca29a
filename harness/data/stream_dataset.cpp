#include "harness/data/stream_dataset.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/base/byte_source.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/base/unique_descriptor.h"
#include "harness/data/csv_columns.h"
#include "harness/data/moments.h"
#include "harness/data/npy.h"
#include "harness/data/stream.h"
#include "harness/data/table.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

namespace {

constexpr std::int64_t kRowsOfProgress = 1 << 16;

// As much of a file's beginning as a header may have.
Result<std::string> read_beginning(const std::filesystem::path& file) {
  std::string bytes(static_cast<std::size_t>(kStreamBlockBytes), '\0');
  const UniqueDescriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t count = descriptor.is_open() ? pread(descriptor.number(), bytes.data(), bytes.size(), 0) : -1;
  if (count < 0) return file_error(file, "a file that cannot be read", "a file to stream");
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

// Whether the keys say nothing but a header and numbers between commas.
bool has_plain_keys(scenario::CsvData data) {
  data.path.clear();
  data.features.clear();
  data.targets.clear();
  if (data.separator == scenario::Separator::comma) data.separator = scenario::Separator::automatic;
  return data == scenario::CsvData();
}

class StreamDescriber {
 public:
  // `shown` is the file that messages name, and the names are those of the columns of an NPY file.
  StreamDescriber(const scenario::Scenario& scenario, const scenario::StreamData& data, const ReadingOptions& options,
                  std::filesystem::path shown, std::vector<std::string> feature_names = {},
                  std::vector<std::string> target_names = {})
      : scenario_(scenario),
        data_(data),
        options_(options),
        shown_(std::move(shown)),
        labels_(takes_labels(scenario.loss)),
        feature_names_(std::move(feature_names)),
        target_names_(std::move(target_names)) {}

  Result<Dataset> describe() {
    file_.path = std::filesystem::absolute(scenario_.file.parent_path() / data_.path).lexically_normal();
    file_.format = data_.is_npy() ? StreamFormat::npy : StreamFormat::csv;
    file_.memory_cap_bytes = data_.memory_cap;
    TRY(note_size_and_time(file_));
    is_plain_ = false;
    TRY(file_.format == StreamFormat::npy ? read_npy() : read_csv());
    TRY(read_rows());
    TRY(check_memory_cap());
    return dataset();
  }
  // False where `describe` failed by what workers cannot read as it lies.
  bool is_plain() const { return is_plain_; }

 private:
  Status read_csv() {
    const std::string beginning = TRY(read_beginning(file_.path));
    if (is_compressed(beginning)) return file_error(file_.path, "a compressed file", "one that is not");
    const CsvHeader header = TRY(read_csv_header(file_.path));
    if ((data_.features.empty() && header.cells.front().empty()) || is_row_of_numbers(header.cells)) {
      return file_error(file_.path, "a header that needs a remark", "names");
    }
    CsvColumns columns = TRY(find_csv_columns(file_.path, header, data_.features, data_.targets));
    file_.column_count = static_cast<std::int64_t>(header.cells.size());
    file_.first_byte = header.first_byte;
    file_.feature_columns.assign(columns.features.begin(), columns.features.end());
    file_.target_columns.assign(columns.targets.begin(), columns.targets.end());
    feature_names_ = std::move(columns.feature_names);
    target_names_ = data_.targets;
    return {};
  }

  Status read_npy() {
    const std::string beginning = TRY(read_beginning(file_.path));
    if (is_compressed(beginning)) {
      return file_error(file_.path, "a compressed file", "one that is not: a stream is read where it lies");
    }
    const NpyHeader header = TRY(parse_npy_header(file_.path, beginning));
    if (header.descr != "<f4" && header.descr != "<f8") {
      return file_error(file_.path, "elements of type " + in_quotes(header.descr), "<f4 or <f8 in a file to stream");
    }
    if (header.fortran_order) return file_error(file_.path, "Fortran order", "C order (numpy.ascontiguousarray)");
    if (header.shape.size() != 2 || header.shape[0] < 1 || header.shape[1] < 2 ||
        header.shape[1] > scenario::kMaxColumns) {
      return file_error(file_.path, shape_text(header.shape),
                        cat("shape [rows, columns] with 2 to ", scenario::kMaxColumns, " columns"));
    }
    file_.element = header.descr == "<f4" ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
    file_.column_count = header.shape[1];
    file_.first_byte = static_cast<std::int64_t>(header.first_byte);
    const double bytes = static_cast<double>(header.shape[0]) * static_cast<double>(file_.row_bytes());
    if (bytes != static_cast<double>(file_.file_bytes - file_.first_byte)) {
      return file_error(file_.path, std::to_string(file_.file_bytes - file_.first_byte) + " bytes of elements",
                        shape_text(header.shape) + " of " + header.descr + " (the file is cut off or too long)");
    }
    TRY(take_columns(data_.targets, "targets", file_.target_columns));
    TRY(take_columns(data_.features, "features", file_.feature_columns));
    if (!data_.features.empty()) return {};
    for (std::int32_t column = 0; column < file_.column_count; ++column) {
      const auto& targets = file_.target_columns;
      if (std::find(targets.begin(), targets.end(), column) == targets.end()) file_.feature_columns.push_back(column);
    }
    if (!file_.feature_columns.empty()) return {};
    return pointed_fault("targets", "all of the file's columns", "at least one column left as a feature");
  }

  Error pointed_fault(const std::string& key, const std::string& found, const std::string& expected) const {
    return usage_error(scenario_.place() + ": /data/" + key + ": found " + found + ", expected " + expected);
  }

  Status take_columns(const std::vector<std::string>& numbers, const std::string& key,
                      std::vector<std::int32_t>& columns) const {
    for (const std::string& text : numbers) {
      const std::optional<std::int32_t> column = number_of<std::int32_t>(text);
      if (!column || *column < 0 || *column >= file_.column_count) {
        return pointed_fault(key, in_quotes(text),
                             cat("column numbers from 0 to ", file_.column_count - 1, ", the file's last"));
      }
      if (std::ranges::find(columns, *column) != columns.end()) {
        return pointed_fault(key, in_quotes(text) + " more than once", "distinct columns");
      }
      columns.push_back(*column);
    }
    return {};
  }

  // The pass over all rows.
  Status read_rows() {
    const std::size_t features = file_.feature_columns.size();
    const std::size_t targets = file_.target_columns.size();
    ColumnMoments feature_moments(features);
    ColumnMoments target_moments(labels_ ? 0 : targets);
    std::vector<double> x(features);
    std::vector<double> y(targets);
    StreamReader reader(file_);
    reader.hash_into(&hash_);
    for (;;) {
      is_plain_ = false;
      const bool read = TRY(reader.next(x.data(), y.data()));
      if (read && labels_) TRY(check_label(y[0]));
      if (!read && labels_ && file_.format == StreamFormat::csv) TRY(check_classes());
      is_plain_ = true;
      if (!read) break;
      TRY(check_values(x, file_.feature_columns, !scenario_.standardise.features));
      if (!labels_) TRY(check_values(y, file_.target_columns, !scenario_.standardise.targets));
      TRY(check_targets(scenario_, y, static_cast<std::int64_t>(targets), rows_));
      feature_moments.add(x.data());
      target_moments.add(y.data());
      if (++rows_ > scenario::kMaxRows)
        return file_error(shown_, "more than " + std::to_string(scenario::kMaxRows) + " rows", "fewer");
      if (rows_ % kRowsOfProgress == 0) options_.progress(shown_.string(), reader.part());
    }
    if (rows_ == 0) return file_error(shown_, "no rows", "some");
    take_moments(feature_moments, file_.feature_columns, feature_names_, "feature", scenario_.standardise.features,
                 file_.feature_means, file_.feature_scales);
    take_moments(target_moments, file_.target_columns, target_names_, "target", scenario_.standardise.targets,
                 file_.target_means, file_.target_scales);
    return {};
  }

  void take_moments(const ColumnMoments& moments, const std::vector<std::int32_t>& columns,
                    std::vector<std::string> names, const char* what, bool standardised, std::vector<double>& means,
                    std::vector<double>& scales) {
    if (names.empty()) std::ranges::transform(columns, std::back_inserter(names), [](auto i) { return cat(i); });
    const std::string constants = rows_ == 1 ? "" : constants_remark(moments, names, what);
    if (!constants.empty()) remarks_.push_back(constants);
    if (!standardised) return;
    means = moments.means();
    scales = moments.scales();
  }

  // What is standardised later needs to be finite in double only.
  Status check_values(const std::vector<double>& values, const std::vector<std::int32_t>& columns, bool narrow) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(narrow ? catalogue::rounded_to(scenario_.dtype, values[i]) : values[i])) continue;
      return file_error(
          shown_, cat(formatted("%g", values[i]), " in row ", rows_, ", column ", columns[i], " (counted from 0)"),
          cat("a finite ", scenario::name_of(scenario_.dtype)));
    }
    return {};
  }

  Status check_label(double label) {
    if (label >= 0 && label < static_cast<double>(scenario::kMaxColumns) && label == std::floor(label)) {
      const auto place = static_cast<std::size_t>(label);
      if (place >= seen_.size()) seen_.resize(place + 1);
      seen_[place] = true;
      return {};
    }
    return file_error(
        shown_,
        cat(formatted("%g", label), " in row ", rows_, ", column ", file_.target_columns[0], " (counted from 0)"),
        cat("an integer class from 0 to ", scenario::kMaxColumns - 1));
  }

  // Of a CSV file each number is a class, and none is where no row has it.
  Status check_classes() const {
    if (std::ranges::find(seen_, false) == seen_.end()) return {};
    return file_error(shown_, "classes that no row has", "labels without gaps");
  }

  // A worker holds batches and a block; three batches are what it needs without and with one batch made ahead.
  Status check_memory_cap() const {
    const std::int64_t batch_rows = scenario_.batch.rows.value_or(rows_);
    const auto array_bytes = [&](std::size_t columns, std::size_t element) {
      const double bytes = static_cast<double>(batch_rows) * static_cast<double>(columns * element);
      return 64 * std::ceil(bytes / 64);  // arrays are aligned
    };
    const std::size_t element = catalogue::size_of(scenario_.dtype);
    const double x = array_bytes(file_.feature_columns.size(), element);
    const double targets = array_bytes(file_.target_columns.size(), labels_ ? sizeof(std::int32_t) : element);
    const double needed = 3 * (x + targets) + static_cast<double>(file_.block_bytes());
    if (needed <= static_cast<double>(file_.memory_cap_bytes)) return {};
    return pointed_fault("memory_cap", std::to_string(file_.memory_cap_bytes),
                         "at least " + std::to_string(static_cast<std::int64_t>(needed)) +
                             " bytes, for three batches of " + std::to_string(batch_rows) +
                             " rows and a block of the file");
  }

  Result<Dataset> dataset() {
    Dataset dataset;
    dataset.dtype = catalogue::storage_of(scenario_.dtype);
    dataset.rows = rows_;
    dataset.features = static_cast<std::int64_t>(file_.feature_columns.size());
    dataset.outputs =
        labels_ ? static_cast<std::int64_t>(seen_.size()) : static_cast<std::int64_t>(file_.target_columns.size());
    dataset.has_labels = labels_;
    dataset.epochs = 1;
    dataset.feature_names = std::move(feature_names_);
    dataset.remarks = std::move(remarks_);
    dataset.digest = hexadecimal(hash_.value());
    dataset.memory = TRY(SharedMemory::create("gdbench-data", aligned_size(1)));
    dataset.stream = std::make_shared<StreamRows>(std::move(file_), dataset.dtype);
    return dataset;
  }

  const scenario::Scenario& scenario_;
  const scenario::StreamData& data_;
  const ReadingOptions& options_;
  std::filesystem::path shown_;
  bool labels_;
  bool is_plain_ = true;
  StreamFile file_;
  std::vector<std::string> feature_names_;
  std::vector<std::string> target_names_;
  std::vector<std::string> remarks_;
  Hash64 hash_;  // of the rows' bytes
  std::int64_t rows_ = 0;
  std::vector<bool> seen_;  // [classes]: whether a row has it
};

}  // namespace

Result<Dataset> make_stream_dataset(const scenario::Scenario& scenario, const ReadingOptions& options) {
  const auto& data = std::get<scenario::StreamData>(scenario.data);
  const std::filesystem::path file = scenario.file.parent_path() / data.path;
  if (data.is_npy() || has_plain_keys(data)) {
    StreamDescriber describer(scenario, data, options, file);
    Result<Dataset> dataset = describer.describe();
    if (dataset.ok() || data.is_npy() || describer.is_plain()) return dataset;
  }
  Converted converted = TRY(convert_csv(file, data, catalogue::row_of(scenario.loss.kind).targets, options));
  scenario::StreamData rows;
  rows.path = std::filesystem::absolute(converted.file);
  rows.memory_cap = data.memory_cap;
  Table& table = converted.table;
  const auto columns = static_cast<std::size_t>(table.features) + table.target_names.size();
  for (std::size_t column = 0; column < columns; ++column) {
    auto& names = column < static_cast<std::size_t>(table.features) ? rows.features : rows.targets;
    names.push_back(std::to_string(column));
  }
  StreamDescriber describer(scenario, rows, options, file, table.feature_names, table.target_names);
  Dataset dataset = TRY(describer.describe());
  dataset.class_names = std::move(table.class_names);
  if (table.has_labels) dataset.outputs = table.outputs;
  dataset.dropped_rows = table.dropped_rows;
  dataset.remarks.insert(dataset.remarks.begin(), table.remarks.begin(), table.remarks.end());
  std::error_code unknown;
  const auto bytes = static_cast<double>(std::filesystem::file_size(converted.file, unknown));
  dataset.remarks.push_back(formatted("what is streamed are the rows as numbers, a file of %.3g MB", bytes * 1e-6));
  dataset.converted = std::move(converted.folder);
  return dataset;
}

}  // namespace gdbench::data
