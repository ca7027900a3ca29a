#include "reports/answers/overview.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "harness/report/report.h"
#include "reports/answers/labels.h"
#include "reports/answers/rows.h"

namespace gdbench::answers {

using report::Cell;
using report::Report;

namespace {

constexpr std::size_t kBriefLabel = 32;  // characters
constexpr std::size_t kFewVariants = 6;  // as many as have a column each

// It ran, and has no rank for a reason of its own.
bool left_out(const Cell& cell) { return is_timed(cell) && cell.summary->not_ranked.has_value(); }

bool timed_and_ranked(const Cell& cell) { return is_timed(cell) && report::is_ranked(cell); }

// Sorted by these, the first so many numbers are spread over all, whatever repeats in them: multiples of the golden
// ratio.
std::uint32_t spread(std::size_t number) { return static_cast<std::uint32_t>(number) * 2654435769U; }

class Builder {
 public:
  explicit Builder(const Report& report) : report_(report), comparer_(report) {
    overview_.report = &report;
    arms_ = std::ranges::none_of(report.cells, [](const Cell& cell) { return cell.arm == report::kNewArm; });
  }

  Overview build() {
    overview_.ranked = std::ranges::any_of(
        report_.cells, [&](const Cell& cell) { return takes_part(cell) && timed_and_ranked(cell); });
    find_baseline();
    find_shape();
    find_columns();
    collect_rows();
    for (OverviewRow& row : overview_.rows) judge(row);
    order_columns();
    name_columns();
    rate_rows();
    return std::move(overview_);
  }

 private:
  bool takes_part(const Cell& cell) const {
    return cell.arm == report::kNewArm || (arms_ && cell.arm != report::kControlArm);
  }

  bool counts(const Cell& cell) const {
    return takes_part(cell) && is_timed(cell) && (!overview_.ranked || report::is_ranked(cell));
  }

  void find_baseline() {
    for (const Cell& cell : report_.cells) {
      if (cell.implementation == report_.run.baseline) baseline_ids_.insert(cell.id);
    }
    const bool any =
        std::ranges::any_of(report_.cells, [&](const Cell& cell) { return counts(cell) && is_to_baseline(cell); });
    if (any) overview_.baseline = report_.run.baseline;
  }

  // Where the baseline has no time, a row's ratio is to the fastest.
  bool is_to_baseline(const Cell& cell) const {
    return cell.summary->ratio && baseline_ids_.contains(cell.summary->ratio->baseline);
  }

  std::string key_of(const Cell& cell) const {
    if (overview_.turned) return row_name(cell);
    return by_kind_ ? kind_of(cell, overview_.baseline) : variant_of(cell);
  }

  void find_shape() {
    std::set<std::string> scenarios;
    std::set<std::string> variants;
    std::set<std::string> kinds;
    for (const Cell& cell : report_.cells) {
      if (!takes_part(cell)) continue;
      scenarios.insert(cell.scenario);
      if (!counts(cell)) continue;
      variants.insert(variant_of(cell));
      kinds.insert(kind_of(cell, ""));
    }
    overview_.turned = scenarios.size() == 1;
    by_kind_ = !overview_.turned && variants.size() > kFewVariants && kinds.size() > 1;
  }

  void find_columns() {
    for (const Cell& cell : report_.cells) {
      const bool shown = counts(cell) || (overview_.turned && takes_part(cell) && left_out(cell));
      if (shown && columns_.emplace(key_of(cell), columns_.size()).second) overview_.columns.push_back({key_of(cell)});
    }
  }

  void collect_rows() {
    std::unordered_map<std::string, std::size_t> places;
    for (const report::ScenarioRecord& scenario : report_.scenarios) places.emplace(scenario.key, places.size());
    std::map<std::pair<std::size_t, int>, OverviewRow> rows;
    for (const Cell& cell : report_.cells) {
      const auto place = places.find(cell.scenario);
      if (place == places.end() || !takes_part(cell)) continue;
      OverviewRow& row = rows[{place->second, overview_.turned ? 1 : cell.threads}];
      row.scenario = &report_.scenarios[place->second];
      row.label =
          row.scenario->label + (cell.threads != 1 && !overview_.turned ? " @" + std::to_string(cell.threads) : "");
      row.entries.resize(columns_.size());
      row.failures += report::is_failure(cell.status.state) ? 1 : 0;
      if (counts(cell)) row.ranked.push_back(&cell);
      const auto column = columns_.find(key_of(cell));
      if (column != columns_.end()) offer(row.entries[column->second], cell);
    }
    for (auto& [place, row] : rows) {
      const bool timed = std::ranges::any_of(
          row.entries, [](const Entry& entry) { return entry.cell != nullptr && is_timed(*entry.cell); });
      if (timed || row.failures > 0) overview_.rows.push_back(std::move(row));
    }
    std::vector<std::string> labels;
    for (const OverviewRow& row : overview_.rows) labels.push_back(row.label);
    std::string common;
    labels = shortened(labels, kBriefLabel, common);
    for (std::size_t i = 0; i < labels.size(); ++i) overview_.rows[i].brief = labels[i];
  }

  // The fastest that counts; else one that ran but has no rank for a reason, else one that failed.
  void offer(Entry& entry, const Cell& cell) const {
    const auto worth = [&](const Cell& candidate) {
      return counts(candidate) ? 3 : left_out(candidate) ? 2 : report::is_failure(candidate.status.state) ? 1 : 0;
    };
    const int offered = worth(cell);
    const int present = entry.cell == nullptr ? 0 : worth(*entry.cell);
    const bool faster =
        offered == present && offered > 1 && cell.summary->step_ns.value < entry.cell->summary->step_ns.value;
    if (offered > present || faster) entry.cell = &cell;
  }

  void judge(OverviewRow& row) const {
    std::vector<const Cell*> cells;
    std::map<const Cell*, std::vector<const Cell*>> tied;  // with the fastest of its column
    for (Entry& entry : row.entries) {
      if (entry.cell == nullptr || !counts(*entry.cell)) continue;
      const Ranking column = ranking_of(of_column(key_of(*entry.cell), row.ranked), comparer_);
      entry.cell = column.fastest;
      tied[entry.cell] = column.tied;
      cells.push_back(entry.cell);
    }
    row.ranking = ranking_of(std::move(cells), comparer_);
    const Ranking& ranking = row.ranking;
    for (Entry& entry : row.entries) entry.ratio = ratio_of(entry.cell, ranking);
    if (!overview_.ranked)
      row.ranking = {.fastest = ranking.fastest, .next = {}, .tied = {}, .lead = {}, .ratios = {}, .undecidable = {}};
    if (ranking.tied.empty() && !ranking.won()) return;
    if (ranking.won()) row.tied_kind = tied[ranking.fastest];
    for (Entry& entry : row.entries) {
      if (entry.cell == nullptr || !ranking.ties(*entry.cell)) continue;
      entry.mark = ranking.won() ? Mark::wins : Mark::ties;
    }
  }

  std::vector<const Cell*> of_column(const std::string& key, const std::vector<const Cell*>& cells) const {
    std::vector<const Cell*> column;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(column),
                 [&](const Cell* cell) { return key_of(*cell) == key; });
    return column;
  }

  std::optional<stats::Comparison> ratio_of(const Cell* cell, const Ranking& ranking) const {
    if (cell == nullptr || !is_timed(*cell)) return std::nullopt;
    if (!overview_.baseline.empty()) {
      return is_to_baseline(*cell) ? std::optional(cell->summary->ratio->comparison) : std::nullopt;
    }
    if (ranking.fastest == nullptr || cell == ranking.fastest) return std::nullopt;
    const stats::Comparison comparison = comparer_.compare(*ranking.fastest, *cell);
    return comparison.ratio.launches > 0 ? std::optional(comparison) : std::nullopt;
  }

  // Where a column goes: by how far it is behind on the average, as a logarithm.
  double place_of(std::size_t column) const {
    constexpr double kLast = std::numeric_limits<double>::infinity();
    if (!overview_.turned && overview_.columns[column].title == overview_.baseline) return -kLast;
    double sum = 0;
    int count = 0;
    for (const OverviewRow& row : overview_.rows) {
      const Cell* cell = row.entries[column].cell;
      if (cell == nullptr || !counts(*cell)) continue;
      const double distance = std::log(cell->summary->step_ns.value / row.ranking.fastest->summary->step_ns.value);
      if (!std::isfinite(distance)) continue;
      sum += distance;
      ++count;
    }
    if (count == 0) return kLast;
    return overview_.turned ? sum / count : -sum / count;
  }

  void order_columns() {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < overview_.columns.size(); ++i) order.emplace_back(place_of(i), i);
    std::ranges::sort(order);
    const std::vector<OverviewColumn> columns = overview_.columns;
    for (std::size_t i = 0; i < order.size(); ++i) overview_.columns[i] = columns[order[i].second];
    for (OverviewRow& row : overview_.rows) {
      const std::vector<Entry> entries = row.entries;
      for (std::size_t i = 0; i < order.size(); ++i) row.entries[i] = entries[order[i].second];
    }
  }

  // A column whose entries are all of one implementation has its name.
  void name_columns() {
    for (std::size_t i = 0; by_kind_ && i < overview_.columns.size(); ++i) {
      std::set<std::string> variants;
      for (const OverviewRow& row : overview_.rows) {
        if (row.entries[i].cell != nullptr && is_timed(*row.entries[i].cell)) {
          variants.insert(variant_of(*row.entries[i].cell));
        }
      }
      if (variants.size() == 1) {
        overview_.columns[i].title = *variants.begin();
      } else {
        overview_.columns[i].names = true;
      }
    }
  }

  void rate_rows() {
    std::vector<OverviewRow>& rows = overview_.rows;
    std::vector<std::tuple<int, std::uint32_t, std::size_t>> order;  // grade, turn within it, row
    const Cell* winner = nullptr;                                    // of the last row that has one
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Ranking& ranking = rows[i].ranking;
      const bool flips = ranking.won() && winner != nullptr &&
                         kind_of(*winner, overview_.baseline) != kind_of(*ranking.fastest, overview_.baseline);
      if (ranking.won()) winner = ranking.fastest;
      const int grade = rows[i].failures > 0 ? 0 : flips ? 1 : !ranking.tied.empty() ? 2 : 3;
      order.emplace_back(grade, grade < 3 ? static_cast<std::uint32_t>(i) : spread(i), i);
    }
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) rows[std::get<std::size_t>(order[i])].interest = i;
  }

  const Report& report_;
  analysis::Comparer comparer_;
  bool arms_ = false;  // whether other arms than this build's take part
  bool by_kind_ = false;
  std::set<std::string> baseline_ids_;          // of the run's baseline
  std::map<std::string, std::size_t> columns_;  // by key
  Overview overview_;
};

}  // namespace

bool is_timed(const Cell& cell) { return cell.status.state == report::CellState::ok && cell.summary.has_value(); }

bool is_framework(const Cell& cell) {
  return cell.summary->import_seconds.has_value() && cell.worker != "frameworks/own_file.py";
}

const char* row_noun(const Overview& overview) {
  std::set<const report::ScenarioRecord*> scenarios;
  for (const OverviewRow& row : overview.rows) scenarios.insert(row.scenario);
  return scenarios.size() == overview.rows.size() ? "scenario" : "row";
}

std::string kind_of(const Cell& cell, const std::string& baseline) {
  return cell.implementation == baseline ? baseline : report::parse_implementation(cell.implementation).strategy;
}

std::string variant_of(const Cell& cell) {
  return cell.implementation + (cell.options.empty() ? "" : " " + options_of(cell));
}

std::string name_in(const Overview& overview, const Cell& cell) {
  return overview.turned ? row_name(cell) : variant_of(cell);
}

std::string mode_of(const Cell& cell) {
  const std::size_t slash = cell.implementation.find('/');
  std::string text = slash == std::string::npos ? cell.implementation : cell.implementation.substr(slash + 1);
  for (const auto& [key, value] : cell.options) text += " " + value;
  return text;
}

Overview overview_of(const Report& report) { return Builder(report).build(); }

}  // namespace gdbench::answers
