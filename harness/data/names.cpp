#include "harness/data/names.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "harness/base/text.h"
#include "harness/data/csv_cells.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

Classes classes_of(const std::vector<std::string>& texts, const scenario::NumberFormat& format) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::optional<double>> numbers;
  for (const std::string& text : texts) numbers.push_back(cell_number(text, format));
  const bool by_value = std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); });
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (!by_value) return texts[a] < texts[b];
    return std::tuple(*numbers[a], texts[a].size(), texts[a]) < std::tuple(*numbers[b], texts[b].size(), texts[b]);
  });
  Classes classes;
  classes.of_text.resize(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = by_value && i > 0 && *numbers[order[i]] == *numbers[order[i - 1]];
    if (!same) classes.names.push_back(texts[order[i]]);
    classes.of_text[order[i]] = classes.names.size() - 1;
  }
  return classes;
}

std::size_t DistinctTexts::place_of(std::string_view text) {
  const auto known = places_.find(text);
  if (known != places_.end()) return known->second;
  places_.emplace(text, texts_.size());
  texts_.emplace_back(text);
  return texts_.size() - 1;
}

void NamedTargets::be_labels(Table& table, const scenario::NumberFormat& numbers) {
  Classes classes = classes_of(texts_.texts(), numbers);
  of_place_.assign(classes.of_text.begin(), classes.of_text.end());
  labels_ = true;
  table.has_labels = true;
  table.outputs = static_cast<std::int64_t>(classes.names.size());
  table.class_names = std::move(classes.names);
}

Status NamedTargets::be_shares(Table& table, const std::string& positive, const scenario::NumberFormat& numbers) {
  const Classes classes = classes_of(texts_.texts(), numbers);
  const std::vector<std::string>& names = classes.names;
  if (names.size() != 2) {
    return usage_error(cat("found ", names.size(), names.size() == 1 ? " text" : " texts",
                           ", expected two, which are 0 and 1 (more are labels of softmax_cross_entropy)"));
  }
  const auto is_positive = [&](const std::string& name) {
    const std::optional<double> number = cell_number(name, numbers);
    return name == positive || (number && number == cell_number(positive, numbers));
  };
  const std::size_t one = is_positive(names[0]) ? 0 : 1;
  if (!positive.empty() && !is_positive(names[one])) {
    return usage_error(cat("found ", in_quotes(names[0]), " and ", in_quotes(names[1]), ", expected ",
                           in_quotes(positive), " as one of them, which /data/positive names"));
  }
  for (const std::size_t name : classes.of_text) of_place_.push_back(name == one ? 1 : 0);
  table.remarks.push_back(
      cat("the targets ", in_quotes(names[1 - one]), " and ", in_quotes(names[one]), " are 0 and 1"));
  return {};
}

void NamedTargets::complete(Table& rows) const {
  if (of_place_.empty()) return;
  const auto value_of = [&](double place) { return of_place_[static_cast<std::size_t>(place)]; };
  if (!labels_) {
    std::ranges::transform(rows.y, rows.y.begin(), value_of);
    return;
  }
  rows.labels.resize(rows.y.size());
  std::ranges::transform(rows.y, rows.labels.begin(), value_of);
  rows.y = {};
}

Status NamedColumns::finish(Table& table, const scenario::NumberFormat& numbers, double most_bytes) {
  if (names_.empty()) return {};
  std::vector<std::string> feature_names;
  for (std::size_t feature = 0; feature < table.feature_names.size(); ++feature) {
    NewColumns& added = columns_.emplace_back(NewColumns{feature_names.size(), {}});
    const std::string& column = table.feature_names[feature];
    if (!has(feature)) {
      feature_names.push_back(column);
      continue;
    }
    const Classes classes = classes_of(names_.at(feature).texts(), numbers);
    added.of_place = classes.of_text;
    for (const std::string& name : classes.names) feature_names.push_back(column + "=" + name);
    const auto bytes = static_cast<double>(table.rows) * static_cast<double>(feature_names.size()) * sizeof(double);
    if (feature_names.size() > static_cast<std::size_t>(scenario::kMaxColumns) || bytes > most_bytes) {
      return usage_error(
          formatted("column %s: found %zu names in %lld rows, expected so few that their columns fit "
                    "into a quarter of the memory",
                    in_quotes(column).c_str(), classes.names.size(), static_cast<long long>(table.rows)));
    }
  }
  width_ = feature_names.size();
  table.features = static_cast<std::int64_t>(width_);
  table.feature_names = std::move(feature_names);
  return {};
}

void NamedColumns::complete(Table& rows) const {
  if (columns_.empty()) return;
  const auto count = static_cast<std::size_t>(rows.rows);
  std::vector<double> x(count * width_);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t feature = 0; feature < columns_.size(); ++feature) {
      const NewColumns& to = columns_[feature];
      const double value = rows.x[row * columns_.size() + feature];
      const bool named = !to.of_place.empty();
      const std::size_t column = to.first + (named ? to.of_place[static_cast<std::size_t>(value)] : 0);
      x[row * width_ + column] = named ? 1 : value;
    }
  }
  rows.x = std::move(x);
}

}  // namespace gdbench::data
