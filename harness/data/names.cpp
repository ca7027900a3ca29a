#include "harness/data/names.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

namespace {

// Where the columns of a feature begin in the new table, and which of them a place among its names is.
struct NewColumns {
  std::size_t first = 0;
  std::vector<std::size_t> of_place;  // empty: a column of numbers
};

// The table's rows, [rows, width], in which each name is a 1 in a column of its own.
std::vector<double> spread(const Table& table, const std::vector<NewColumns>& columns, std::size_t width) {
  const auto rows = static_cast<std::size_t>(table.rows);
  std::vector<double> x(rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t feature = 0; feature < columns.size(); ++feature) {
      const NewColumns& to = columns[feature];
      const double value = table.x[row * columns.size() + feature];
      const bool named = !to.of_place.empty();
      const std::size_t column = to.first + (named ? to.of_place[static_cast<std::size_t>(value)] : 0);
      x[row * width + column] = named ? 1 : value;
    }
  }
  return x;
}

}  // namespace

std::vector<std::string> in_class_order(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  const auto as_integer = [](const std::string& name) { return number_of<std::int64_t>(name); };
  if (std::ranges::all_of(
          texts, [](const auto& number) { return number.has_value(); }, as_integer)) {
    std::ranges::stable_sort(texts, {}, as_integer);
  }
  return texts;
}

double NamedColumns::place_of(std::size_t feature, const std::string& name) {
  auto& places = names_.at(feature);
  return static_cast<double>(places.try_emplace(name, places.size()).first->second);
}

Status NamedColumns::expand(Table& table) const {
  if (names_.empty()) return {};
  std::vector<NewColumns> columns;
  std::vector<std::string> feature_names;
  for (std::size_t feature = 0; feature < table.feature_names.size(); ++feature) {
    NewColumns& added = columns.emplace_back(NewColumns{feature_names.size(), {}});
    const std::string& column = table.feature_names[feature];
    if (!has(feature)) {
      feature_names.push_back(column);
      continue;
    }
    const auto& places = names_.at(feature);
    std::vector<std::string> names;
    for (const auto& [name, place] : places) names.push_back(name);
    added.of_place.resize(places.size());
    for (const std::string& name : in_class_order(std::move(names))) {
      added.of_place[places.at(name)] = feature_names.size() - added.first;
      feature_names.push_back(column + "=" + name);
    }
    const auto bytes = static_cast<double>(table.rows) * static_cast<double>(feature_names.size()) * sizeof(double);
    if (feature_names.size() > static_cast<std::size_t>(scenario::kMaxColumns) ||
        bytes > static_cast<double>(max_data_bytes())) {
      return usage_error(
          formatted("column %s: found %zu names in %lld rows, expected so few that their columns fit "
                    "into a quarter of the memory",
                    in_quotes(column).c_str(), places.size(), static_cast<long long>(table.rows)));
    }
  }
  table.x = spread(table, columns, feature_names.size());
  table.features = static_cast<std::int64_t>(feature_names.size());
  table.feature_names = std::move(feature_names);
  return {};
}

}  // namespace gdbench::data
