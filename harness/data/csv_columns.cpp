#include "harness/data/csv_columns.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/data/csv_cells.h"
#include "harness/data/csv_records.h"

namespace gdbench::data {

namespace {

bool is_number(const std::string& cell) { return cell_number(cell).has_value(); }

bool counts_from_0(const std::vector<std::string>& header) {
  std::size_t numbered = 0;
  while (numbered < header.size() && header[numbered] == std::to_string(numbered)) ++numbered;
  return numbered == header.size();
}

// What the key of /data would be that makes a first line like this one no header, or separates it. Without a header
// they are numbers.
std::string hint_about(const std::vector<std::string>& header) {
  if (counts_from_0(header)) return kSkip;
  for (const char* mark : {"#", "%", "//"}) {
    if (header.front().starts_with(mark)) return cat(" (\"comment\": \"", mark, "\" in /data leaves such lines out)");
  }
  for (const char* separator : {";", "\t", "|", ","}) {
    if (header.size() > 1 || header.front().find(separator) == std::string::npos) continue;
    return cat(" (\"separator\": \"", *separator == '\t' ? "tab" : separator,
               "\" in /data makes several columns of it)");
  }
  if (std::ranges::none_of(header, is_number)) return header.size() == 1 ? kSkip : "";
  return cat(" (the first line holds numbers", std::ranges::all_of(header, is_number) ? " alone" : "",
             ": \"header\": false in /data takes columns by their numbers)");
}

}  // namespace

bool is_row_of_numbers(const std::vector<std::string>& header) {
  return std::ranges::all_of(header, is_number) && !counts_from_0(header);
}

Error csv_fault(const std::filesystem::path& file, const std::string& message) {
  return usage_error(one_line(file.string() + ": " + message));
}

Result<std::vector<std::size_t>> find_csv_columns(const std::filesystem::path& file, const CsvHeader& header,
                                                  const std::vector<std::string>& names) {
  const std::vector<std::string>& cells = header.cells;
  const std::string place = cat("line ", header.line, ": ");
  // Of each name, as a table may have thousands.
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t column = 0; column < cells.size(); ++column) places[cells[column]].push_back(column);
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto found = places.find(name);
    if (found != places.end() && found->second.size() == 1) {
      columns.push_back(found->second.front());
      continue;
    }
    const std::string quoted_name = in_quotes(name);
    if (found != places.end()) {
      return csv_fault(file, place + "found column " + quoted_name + " more than once, expected distinct names");
    }
    return csv_fault(
        file, cat(place, "found no column ", quoted_name, ", expected ", one_of(name, cells), hint_about(cells)));
  }
  return columns;
}

Result<CsvColumns> find_csv_columns(const std::filesystem::path& file, const CsvHeader& header,
                                    const std::vector<std::string>& features, const std::vector<std::string>& targets) {
  std::vector<std::size_t> target_columns = TRY(find_csv_columns(file, header, targets));
  std::vector<std::string> names = features;
  const std::set<std::string_view> known(targets.begin(), targets.end());
  for (const std::string& name : header.cells) {
    if (features.empty() && !known.contains(name)) names.push_back(name);
  }
  if (names.empty())
    return csv_fault(file, cat("line ", header.line, ": found targets only, expected at least one feature column"));
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
  header.line = record.line;
  header.first_byte = records.position();
  return header;
}

}  // namespace gdbench::data
