#include "reports/answers/overview_sentences.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/environments.h"
#include "reports/answers/format.h"
#include "reports/answers/target.h"
#include "reports/answers/values.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

using report::Cell;

namespace {

// Rows that one column wins.
struct Wins {
  std::string kind;
  std::string variant;  // of the last winner
  NameCounts modes;     // of the winners in their kind
  std::vector<const OverviewRow*> rows;
};

std::vector<Wins> wins_of(const Overview& overview) {
  std::vector<Wins> all(overview.columns.size());
  for (const OverviewRow& row : overview.rows) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      if (row.entries[i].mark != Mark::wins) continue;
      const Cell& cell = *row.entries[i].cell;
      all[i].kind = kind_of(cell, overview.baseline);
      all[i].variant = variant_of(cell);
      ++all[i].modes[mode_of(cell)];
      all[i].rows.push_back(&row);
    }
  }
  std::erase_if(all, [](const Wins& wins) { return wins.rows.empty(); });
  std::ranges::stable_sort(all, [](const Wins& a, const Wins& b) { return a.rows.size() > b.rows.size(); });
  return all;
}

// "3.1x [3.0, 3.2] over hand/eigen (linreg-3x2)".
std::string lead_words(const OverviewRow* row) {
  return format_ratio(row->ranking.lead.ratio) + " over " + variant_of(*row->ranking.next) + " (" + row->brief + ")";
}

double lead_of(const OverviewRow* row) { return row->ranking.lead.ratio.value; }

std::string win_words(const Overview& overview, const Wins& wins) {
  return cat(wins.modes.size() == 1 ? wins.variant : wins.kind + " (" + counts_text(wins.modes, 3) + ")", " wins ",
             wins.rows.size(), " of ", overview.rows.size(), ", by ", range_words(wins.rows, lead_of, lead_words), ".");
}

void add_wins(const Overview& overview, std::vector<Sentence>& sentences) {
  constexpr std::size_t kMaxWinners = 3;
  if (overview.turned) {
    const Ranking& ranking = overview.rows.front().ranking;
    if (!ranking.won()) return;
    sentences.push_back({timed_name(*ranking.fastest) + " wins: " + timed_name(*ranking.next) + " takes " +
                             format_ratio(ranking.lead.ratio) + " as long.",
                         1, Style::bold});
    return;
  }
  const std::vector<Wins> all = wins_of(overview);
  std::string others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < kMaxWinners) {
      sentences.push_back({win_words(overview, all[i]), i < 2 ? 1 : 2, Style::bold});
    } else {
      join(others,
           (all[i].modes.size() == 1 ? all[i].variant : all[i].kind) + " " + std::to_string(all[i].rows.size()));
    }
  }
  if (!others.empty()) sentences.push_back({"Of the rest win: " + others + ".", 4});
}

// "linreg-3x2: graph/eigen = hand/eigen; ...", of the rows in which cells are not distinguished from the fastest.
template <class Tied>
std::string ties_text(const Overview& overview, Tied tied_of) {
  constexpr std::size_t kMostShown = 3;
  constexpr std::size_t kMaxNames = 4;
  std::vector<std::string> rows;
  for (const OverviewRow& row : overview.rows) {
    const std::vector<const Cell*>& tied = tied_of(row);
    if (tied.empty()) continue;
    std::vector<std::string> names = {name_in(overview, *row.ranking.fastest)};
    for (const Cell* cell : tied) names.push_back(name_in(overview, *cell));
    rows.push_back((overview.turned ? "" : row.brief + ": ") + some_of(names, kMaxNames, " = "));
  }
  return some_of(rows, kMostShown, "; ");
}

void add_ties(const Overview& overview, std::vector<Sentence>& sentences) {
  const std::string tied = ties_text(
      overview, [](const OverviewRow& row) -> auto& { return row.ranking.tied; });
  if (!tied.empty()) sentences.push_back({"Tied: " + tied + ".", 3});
  const std::string within = ties_text(
      overview, [](const OverviewRow& row) -> auto& { return row.tied_kind; });
  if (!within.empty()) sentences.push_back({"Tied within the kind that wins: " + within + ".", 4});
}

std::string place_of(const Overview& overview, const std::vector<const OverviewRow*>& rows) {
  if (rows.size() == overview.rows.size()) return "";
  return " on " + (rows.size() == 1 ? rows.front()->brief : counted(rows.size(), row_noun(overview)));
}

std::string fastest_of(const Overview& overview, const std::vector<const OverviewRow*>& rows) {
  NameCounts fastest;
  for (const OverviewRow* row : rows) ++fastest[name_in(overview, *row->ranking.fastest)];
  return counts_text(fastest, 3);
}

// Rows whose launches are too few for a verdict and agree all the same.
void add_clear(const Overview& overview, const std::vector<const OverviewRow*>& rows,
               std::vector<Sentence>& sentences) {
  if (rows.empty()) return;
  const auto words = [&](const OverviewRow* row) {
    return format_factor(lead_of(row)) + (overview.turned ? "" : " (" + row->brief + ")");
  };
  sentences.push_back({"Clear but not confirmed, by too few launches" + place_of(overview, rows) + ": " +
                           fastest_of(overview, rows) + " ahead by about " + range_words(rows, lead_of, words) + ".",
                       1, Style::unsure});
}

// Rows in which there can be no verdict, with the reason that most of them have, if they have one in common.
void add_undecidable(const Overview& overview, std::vector<Sentence>& sentences) {
  std::vector<const OverviewRow*> clear;
  std::vector<const OverviewRow*> others;
  NameCounts reasons;
  for (const OverviewRow& row : overview.rows) {
    if (row.ranking.undecidable.empty()) continue;
    if (is_clear(row.ranking.lead)) {
      clear.push_back(&row);
      continue;
    }
    others.push_back(&row);
    ++reasons[row.ranking.undecidable];
  }
  add_clear(overview, clear, sentences);
  if (others.empty()) return;
  std::string reason = ordered(reasons).front().first;
  if (reasons.size() > 1) reason += " (and " + counted(reasons.size() - 1, "other reason") + ")";
  sentences.push_back({"No verdict" + place_of(overview, others) + ": " + reason +
                           ". Fastest there: " + fastest_of(overview, others) + ".",
                       1, Style::unsure});
}

void add_baseline(const Overview& overview, std::vector<Sentence>& sentences) {
  if (!overview.ranked) {
    sentences.push_back({"Nothing here has a rank: there is no winner.", 1, Style::plain});
    return;
  }
  if (overview.baseline.empty()) {
    const std::string name = overview.report->run.baseline;
    if (overview.columns.size() > 1) {
      sentences.push_back({"No time of a baseline" + (name.empty() ? "" : " (" + name + ")") +
                               ": ratios are to the fastest of a row; --baseline chooses another.",
                           3});
    }
    return;
  }
  if (overview.turned) return;
  std::vector<stats::Estimate> ratios;  // of the winners
  for (const OverviewRow& row : overview.rows) {
    if (!row.ranking.won()) continue;
    const auto entry = std::ranges::find(row.entries, row.ranking.fastest, &Entry::cell);
    if (entry != row.entries.end() && entry->ratio) ratios.push_back(entry->ratio->ratio);
  }
  if (ratios.empty()) return;
  sentences.push_back({"The winners take " + range_words(ratios, &stats::Estimate::value, format_ratio) +
                           " of the time of the baseline, " + overview.baseline + ".",
                       4});
}

// After how many steps winners have earned back a later start than the baseline's.
void add_break_even(const Overview& overview, std::vector<Sentence>& sentences) {
  if (!overview.report->attribution) return;
  struct Point {
    const stats::BreakEven* result;
    const OverviewRow* row;
  };
  std::set<std::string> baselines;
  for (const Cell& cell : overview.report->cells) {
    if (cell.implementation == overview.baseline) baselines.insert(cell.id);
  }
  std::map<std::string, std::vector<Point>> points;
  for (const OverviewRow& row : overview.rows) {
    if (!row.ranking.won()) continue;
    for (const report::BreakEvenRecord& record : overview.report->attribution->break_evens) {
      const bool is_late = record.result.overtaking == stats::Overtaking::after && record.result.steps > 1;
      if (!is_late || record.cell != row.ranking.fastest->id) continue;
      const auto& ratio = row.ranking.fastest->summary->ratio;
      const bool to_baseline = ratio && ratio->baseline == record.other && baselines.contains(record.other);
      if (to_baseline) points[variant_of(*row.ranking.fastest)].push_back({&record.result, &row});
    }
  }
  for (auto& [name, found] : points) {
    const auto words = [&](const Point& point) {
      return overtaking_words(*point.result).substr(std::string("after ").size()) +
             (overview.turned ? "" : " (" + point.row->brief + ")");
    };
    const auto steps = [](const Point& point) { return point.result->steps; };
    sentences.push_back({name + ", which starts later, overtakes " + overview.baseline + " after " +
                             range_words(found, steps, words) + ".",
                         6});
  }
}

// What more threads bring each implementation, where least and where most.
void add_threads(const Overview& overview, std::vector<Sentence>& sentences) {
  constexpr std::size_t kMostShown = 3;
  if (!overview.report->scaling) return;
  struct Point {
    const stats::Estimate* speed_up;
    std::string place;
  };
  std::unordered_map<std::string, std::pair<const Cell*, std::string>> ranked;  // by id
  for (const OverviewRow& row : overview.rows) {
    for (const Cell* cell : row.ranked) {
      ranked.emplace(cell->id, std::pair(cell, overview.turned ? "@" + std::to_string(cell->threads) : row.brief));
    }
  }
  std::vector<std::pair<std::string, std::vector<Point>>> variants;  // in the report's order
  for (const report::ThreadScaling& scaling : *overview.report->scaling) {
    const auto found = ranked.find(scaling.cell);
    if (found == ranked.end()) continue;
    const auto& [cell, place] = found->second;
    entry_of(variants, variant_of(*cell)).push_back({&scaling.speed_up, place});
  }
  variants.resize(std::min(variants.size(), kMostShown));
  for (const auto& [name, points] : variants) {
    const auto words = [](const Point& point) { return format_ratio(*point.speed_up) + " (" + point.place + ")"; };
    const auto value = [](const Point& point) { return point.speed_up->value; };
    sentences.push_back(
        {name + " with more threads is " + range_words(points, value, words) + " as fast as with one.", 4});
  }
}

void add_targets(const report::Report& report, std::vector<Sentence>& sentences) {
  std::size_t reached = 0;
  std::size_t missed = 0;
  std::string flip;
  for (const ScenarioTable& table : tables_of(report)) {
    if (target_title(table).empty()) continue;
    ++(target_table(table).front().texts.empty() ? missed : reached);
    const std::string words = target_first_words(table);
    if (flip.empty() && !words.empty()) flip = " " + table.scenario->label + ": " + words;
  }
  if (reached > 0)
    sentences.push_back({"There are times to a target loss, on " + counted(reached, "scenario") + "." + flip, 5});
  if (missed > 0)
    sentences.push_back({"No row has a time to its target loss, on " + counted(missed, "scenario") + ".", 5});
}

}  // namespace

std::vector<Sentence> sentences_of(const Overview& overview) {
  std::vector<Sentence> sentences;
  if (!overview.rows.empty() && !overview.columns.empty()) {
    add_wins(overview, sentences);
    add_undecidable(overview, sentences);
    add_environments(*overview.report, sentences);
    add_reasons(overview, sentences);
    add_ties(overview, sentences);
    add_baseline(overview, sentences);
    add_break_even(overview, sentences);
    add_threads(overview, sentences);
    if (const std::string values = ValueWords(*overview.report).sentence(overview); !values.empty())
      sentences.push_back({values, 2});
  }
  add_targets(*overview.report, sentences);
  add_problems(overview, sentences);
  return sentences;
}

}  // namespace gdbench::answers
