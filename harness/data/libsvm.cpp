#include "harness/data/libsvm.h"

#include <algorithm>
#include <optional>
#include <span>

#include "harness/base/text.h"
#include "harness/data/csv_cells.h"
#include "harness/data/csv_records.h"
#include "harness/data/names.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

namespace {

using catalogue::Targets;

struct Entry {
  std::int64_t row;
  std::int64_t index;
  double value;
};

class LibsvmReader {
 public:
  LibsvmReader(const std::filesystem::path& file, Targets targets) : file_(file), targets_(targets) {}

  Result<Table> read() {
    CsvRecords records = TRY(CsvRecords::open(file_, scenario::Separator::blanks, "#", 0, false));
    CsvRecord record;
    for (;;) {
      const bool more = TRY(records.next(record));
      if (!more) break;
      if (!record.cells.empty() && !record.cells.front().starts_with('#')) TRY(read_record(record));
    }
    return finish();
  }

 private:
  Error fault(std::int64_t line, const std::string& found, const std::string& expected) const {
    return usage_error(one_line(cat(file_.string(), ": line ", line, ": found ", found, ", expected ", expected)));
  }

  Status read_record(const CsvRecord& record) {
    const std::string_view target = record.cells.front();
    const std::optional<double> number = cell_number(target);
    if (!number && targets_ == Targets::numbers) return fault(record.line, in_quotes(target), "a finite number");
    all_numbers_ = all_numbers_ && number;
    table_.y.push_back(number.value_or(0));
    if (targets_ != Targets::numbers) places_.push_back(names_.place_of(target));
    std::int64_t last = -1;
    for (const std::string_view cell : std::span(record.cells).subspan(1)) {
      if (cell.starts_with('#')) break;
      if (cell.starts_with("qid:")) continue;
      const std::size_t colon = cell.find(':');
      const auto index = number_of<std::int64_t>(cell.substr(0, colon));
      const auto value = colon == std::string_view::npos ? std::nullopt : cell_number(cell.substr(colon + 1));
      if (!index || *index < 0 || *index > scenario::kMaxColumns || !value) {
        return fault(record.line, in_quotes(cell), cat("INDEX:NUMBER with an index up to ", scenario::kMaxColumns));
      }
      if (*index <= last) return fault(record.line, cat("index ", *index, " behind ", last), "ascending ones");
      last = *index;
      first_index_ = std::min(first_index_, *index);
      last_index_ = std::max(last_index_, *index);
      entries_.push_back({table_.rows, *index, *value});
    }
    ++table_.rows;
    return {};
  }

  Result<Table> finish() {
    if (entries_.empty())
      return usage_error(one_line(file_.string() + ": found no entries, expected rows of INDEX:NUMBER"));
    const std::int64_t base = std::min<std::int64_t>(first_index_, 1);
    table_.features = last_index_ - base + 1;
    table_.outputs = 1;
    const double bytes = static_cast<double>(table_.rows) * static_cast<double>(table_.features) * sizeof(double);
    if (bytes > static_cast<double>(max_data_bytes())) {
      return usage_error(one_line(cat(file_.string(), ": found ", table_.rows, " rows of ", table_.features,
                                      " features, expected so few that they fit into a quarter of the memory")));
    }
    table_.x.assign(static_cast<std::size_t>(table_.rows * table_.features), 0.0);
    for (const Entry& entry : entries_) {
      table_.x[static_cast<std::size_t>(entry.row * table_.features + entry.index - base)] = entry.value;
    }
    table_.remarks.push_back(cat("indices count from ", base));
    const auto is_share = [](double value) { return value >= 0 && value <= 1; };
    const bool are_shares = targets_ == Targets::shares && all_numbers_ && std::ranges::all_of(table_.y, is_share);
    if (targets_ == Targets::numbers || are_shares) return std::move(table_);
    if (targets_ == Targets::labels) {
      names_.be_labels(table_, {});
    } else if (const Status taken = names_.be_shares(table_, "", {}); !taken.ok()) {
      return usage_error(one_line(file_.string() + ": targets: " + taken.error().message));
    }
    table_.y = std::move(places_);
    names_.complete(table_);
    return std::move(table_);
  }

  const std::filesystem::path& file_;
  Targets targets_;
  NamedTargets names_;
  std::vector<double> places_;  // of the targets, as names
  bool all_numbers_ = true;     // the targets
  std::vector<Entry> entries_;
  std::int64_t first_index_ = scenario::kMaxColumns;
  std::int64_t last_index_ = 0;
  Table table_;
};

}  // namespace

Result<Table> read_libsvm(const std::filesystem::path& file, Targets targets) {
  return LibsvmReader(file, targets).read();
}

}  // namespace gdbench::data
