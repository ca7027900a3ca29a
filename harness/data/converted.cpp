#include "harness/data/converted.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "harness/base/fields.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/json_reader.h"
#include "harness/base/kept_files.h"
#include "harness/base/record_reader.h"
#include "harness/base/record_writer.h"
#include "harness/base/text.h"
#include "harness/data/csv.h"
#include "harness/data/npy.h"
#include "harness/scenario/keys.h"

namespace gdbench::data {

FIELDS_OF(Table, rows, features, outputs, has_labels, feature_names, target_names, class_names, dropped_rows, remarks)

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kKeptBytes = std::uintmax_t{8} << 30;  // of all files, and the latest one in any case
constexpr std::size_t kBlockValues = std::size_t{1} << 17;      // that are held at once

// Of the file's bytes and of what is made of them. GDBENCH_DATA_HASH is that of this library's sources.
Result<std::string> key_of(const fs::path& file, scenario::CsvData data, catalogue::Targets targets) {
  data.path.clear();
  Hash64 hash;
  hash.add(GDBENCH_DATA_HASH " " + RecordWriter::encode(data).dump() + " ");
  hash.add(&targets, sizeof targets);
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  do {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add(block.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  if (!stream.eof()) return file_error(file, "a file that cannot be read", "rows of cells");
  return hexadecimal(hash.value());
}

class NpyWriter {
 public:
  explicit NpyWriter(fs::path file) : file_(std::move(file)), stream_(file_, std::ios::binary) {
    stream_.write(npy_header(0, 0).data(), kNpyHeaderBytes);  // until the rows are counted
  }
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  ~NpyWriter() {
    std::error_code ignored;
    if (!finished_) fs::remove(file_, ignored);
  }

  void add(const Table& rows) {
    const auto count = static_cast<std::size_t>(rows.rows);
    const std::size_t features = rows.x.size() / std::max<std::size_t>(count, 1);
    const std::size_t targets = rows.labels.empty() ? rows.y.size() / std::max<std::size_t>(count, 1) : 1;
    row_.resize(features + targets);
    for (std::size_t row = 0; row < count; ++row) {
      std::copy_n(rows.x.begin() + static_cast<std::ptrdiff_t>(row * features), features, row_.begin());
      for (std::size_t i = 0; i < targets; ++i) {
        row_[features + i] = rows.labels.empty() ? rows.y[row * targets + i] : rows.labels[row];
      }
      stream_.write(reinterpret_cast<const char*>(row_.data()),
                    static_cast<std::streamsize>(row_.size() * sizeof(double)));
    }
    rows_ += rows.rows;
  }

  Status finish() {
    stream_.seekp(0);
    stream_.write(npy_header(rows_, static_cast<std::int64_t>(row_.size())).data(), kNpyHeaderBytes);
    stream_.close();
    finished_ = static_cast<bool>(stream_);
    if (finished_) return {};
    return failure(one_line(cat(file_.string(), ": cannot be written: is there no room for the rows as numbers?")));
  }

 private:
  fs::path file_;
  std::ofstream stream_;
  std::vector<double> row_;
  std::int64_t rows_ = 0;
  bool finished_ = false;
};

// The rows of an NPY file as NpyWriter writes it, block after block.
class NpyRows {
 public:
  explicit NpyRows(const fs::path& file) : stream_(file, std::ios::binary) { stream_.seekg(kNpyHeaderBytes); }

  // Adds at most `count` rows.
  void add_to(Table& rows, std::size_t features, std::size_t targets, std::size_t count) {
    std::vector<double> row(features + targets);
    for (std::size_t i = 0; i < count; ++i) {
      stream_.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(double)));
      if (!stream_) return;
      const auto first_target = row.begin() + static_cast<std::ptrdiff_t>(features);
      rows.x.insert(rows.x.end(), row.begin(), first_target);
      rows.y.insert(rows.y.end(), first_target, row.end());
      ++rows.rows;
    }
  }

 private:
  std::ifstream stream_;
};

// Writes the rows to `to` and returns what they are.
Result<Table> write_rows(CsvReader& reader, const fs::path& file, const fs::path& to, const ReadingOptions& options) {
  NpyWriter writer(to);
  Table rows;
  std::size_t features = 0;
  for (bool more = true; more; rows = {}) {
    more = TRY(reader.read(rows, kBlockValues));
    if (rows.rows != 0) features = rows.x.size() / static_cast<std::size_t>(rows.rows);
    writer.add(rows);
    options.progress(file.string(), reader.part());
  }
  Table table = TRY(reader.finish(std::numeric_limits<double>::infinity()));
  TRY(writer.finish());
  if (!reader.changes_rows()) return table;

  const fs::path completed = to.string() + ".completed";
  NpyWriter changed(completed);
  NpyRows read(to);
  const std::size_t block = std::max<std::size_t>(1, kBlockValues / features);
  const std::size_t targets = table.target_names.size();
  do {
    rows = {};
    read.add_to(rows, features, targets, block);
    reader.complete(rows);
    if (rows.rows != 0) changed.add(rows);
  } while (rows.rows != 0);
  TRY(changed.finish());
  fs::rename(completed, to);
  return table;
}

// The description of a kept file; nothing where either is not whole.
std::optional<Table> kept_table(const fs::path& rows, const fs::path& file) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
  const Result<std::string> text = read_file(file, "a converted table", kMostBytes);
  if (!text.ok()) return std::nullopt;
  const Result<Json> json = parse_json(text.value());
  if (!json.ok()) return std::nullopt;
  Result<Table> table = RecordReader::read<Table>(json.value(), JsonDocument(file.string()));
  if (!table.ok()) return std::nullopt;
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(rows, missing);
  const auto columns = static_cast<std::uintmax_t>(table->features) + table->target_names.size();
  if (missing || bytes != kNpyHeaderBytes + static_cast<std::uintmax_t>(table->rows) * columns * sizeof(double)) {
    return std::nullopt;
  }
  return std::move(table).value();
}

}  // namespace

Result<Converted> convert_csv(const fs::path& file, const scenario::CsvData& data, catalogue::Targets targets,
                              const ReadingOptions& options) {
  CsvReader reader = TRY(CsvReader::open(file, data, targets));
  Converted converted;
  fs::path folder = options.kept;
  std::string name = "rows";
  std::error_code error;
  if (folder.empty()) {
    converted.folder = std::make_shared<const ScratchFolder>(TRY(ScratchFolder::make("gdbench-data")));
    folder = converted.folder->path();
  } else {
    name = TRY(key_of(file, data, targets));
    fs::create_directories(folder, error);
  }
  converted.file = folder / (name + ".npy");
  const fs::path description = folder / (name + ".json");
  if (std::optional<Table> table = kept_table(converted.file, description)) {
    fs::last_write_time(converted.file, fs::file_time_type::clock::now(), error);  // it is in use
    converted.table = std::move(*table);
    return converted;
  }
  const fs::path partial = folder / cat(name, ".npy.", getpid());
  converted.table = TRY(write_rows(reader, file, partial, options));
  std::ofstream(description) << RecordWriter::encode(converted.table).dump();
  fs::rename(partial, converted.file, error);
  if (error) return failure(one_line(cat(converted.file.string(), ": cannot be written: ", error.message())));
  keep_recent(folder, ".npy", kKeptBytes);
  return converted;
}

Result<Table> read_converted(Converted converted) {
  Table& table = converted.table;
  const auto rows = static_cast<std::size_t>(table.rows);
  const auto features = static_cast<std::size_t>(table.features);
  const std::size_t targets = table.target_names.size();
  if (static_cast<double>(rows * features * sizeof(double)) > static_cast<double>(max_data_bytes())) {
    return file_error(converted.file, "more features than fit", "at most a quarter of the memory");
  }
  Table read;
  read.x.reserve(rows * features);
  read.y.reserve(rows * targets);
  NpyRows(converted.file).add_to(read, features, targets, rows);
  if (read.rows != table.rows) return file_error(converted.file, cat(read.rows, " rows"), cat(table.rows));
  table.x = std::move(read.x);
  if (table.has_labels) {
    table.labels.assign(read.y.begin(), read.y.end());
  } else {
    table.y = std::move(read.y);
  }
  return std::move(table);
}

}  // namespace gdbench::data
