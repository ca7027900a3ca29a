#include "harness/data/csv_columns.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/data/csv_cells.h"
#include "harness/data/csv_records.h"

namespace gdbench::data {

namespace {

// What the key of /data would be that makes a first line like this one no header. Without a header they are numbers.
std::string hint_about(const std::vector<std::string>& header) {
  std::size_t numbered = 0;
  while (numbered < header.size() && header[numbered] == std::to_string(numbered)) ++numbered;
  if (numbered == header.size()) return kSkip;
  if (header.front().starts_with('#')) return " (\"comment\": \"#\" in /data leaves such lines out)";
  const auto is_number = [](const std::string& cell) { return cell_number(cell).has_value(); };
  if (!std::ranges::all_of(header, is_number)) return "";
  return " (the first line holds numbers alone: \"header\": false in /data takes columns by their numbers)";
}

}  // namespace

Error csv_fault(const std::filesystem::path& file, const std::string& message) {
  return usage_error(one_line(file.string() + ": " + message));
}

Result<std::vector<std::size_t>> find_csv_columns(const std::filesystem::path& file,
                                                  const std::vector<std::string>& header,
                                                  const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto count = std::count(header.begin(), header.end(), name);
    if (count == 1) {
      columns.push_back(static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin()));
      continue;
    }
    const std::string quoted_name = in_quotes(name);
    if (count > 1) {
      return csv_fault(file, "line 1: found column " + quoted_name + " more than once, expected distinct names");
    }
    return csv_fault(
        file, cat("line 1: found no column ", quoted_name, ", expected ", one_of(name, header), hint_about(header)));
  }
  return columns;
}

Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets) {
  std::vector<std::size_t> target_columns = TRY(find_csv_columns(file, header, targets));
  std::vector<std::string> names = features;
  for (const std::string& name : header) {
    const bool is_target = std::find(targets.begin(), targets.end(), name) != targets.end();
    if (features.empty() && !is_target) names.push_back(name);
  }
  if (names.empty()) return csv_fault(file, "line 1: found targets only, expected at least one feature column");
  std::vector<std::size_t> feature_columns = TRY(find_csv_columns(file, header, names));
  return CsvColumns{std::move(feature_columns), std::move(target_columns), std::move(names)};
}

Result<CsvHeader> read_csv_header(const std::filesystem::path& file) {
  CsvRecords records = TRY(CsvRecords::open(file, scenario::Separator::comma));
  CsvRecord record;
  const bool read = TRY(records.next(record));
  if (!read) return csv_fault(file, "found no header, expected one");
  CsvHeader header;
  for (const std::string_view cell : record.cells) header.cells.emplace_back(trimmed(cell));
  header.first_byte = records.position();
  return header;
}

}  // namespace gdbench::data
