#include "reports/page/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/render/format.h"
#include "reports/render/ranking.h"

namespace gdbench::page {

namespace {

using report::Cell;
using report::CellState;

constexpr const char* kGridId = "grid";
// More scenarios than these, if they are more than implementations, have rows; else implementations do.
constexpr std::size_t kMostScenarioColumns = 12;
// Ratios to the fastest, up to which a place has the colours w1, w2 and w3; w4 beyond.
constexpr double kWarmths[] = {1.5, 4, 16};

struct Place {
  std::string css = "none";
  std::string figure;  // "81.4 us"
  std::string words;   // "wins"
};

// What a row stands for: an implementation with its options and threads.
struct GridRow {
  std::string label;
  report::ImplementationName name;
  std::map<std::string, Place> places;  // by scenario
  bool timed = false;
  double logarithms = 0;  // of its ratios to the fastest of scenarios where it is ranked
  int ranked = 0;         // in so many scenarios

  double mean() const { return ranked > 0 ? logarithms / ranked : std::numeric_limits<double>::infinity(); }
};

std::string policy_of(const GridRow& row) { return row.name.policy.empty() ? "none" : row.name.policy; }

std::string warmth(double ratio) {
  int level = 1;
  for (const double limit : kWarmths) level += ratio > limit ? 1 : 0;
  return "w" + std::to_string(level);
}

Place timed_place(const Cell& cell, const render::Rankings& rankings, const render::Ranking& ranking) {
  Place place{.css = "none", .figure = render::format_duration_ns(cell.summary->step_ns.value), .words = "not ranked"};
  if (!report::is_ranked(cell) || ranking.fastest == nullptr) return place;
  if (&cell == ranking.fastest) {
    place.css = "w0";
    place.words = ranking.won() ? "\u2605 wins" : ranking.tied.empty() ? "\u2606 fastest" : "= ties";
    return place;
  }
  const stats::Estimate ratio = rankings.compare(*ranking.fastest, cell).ratio;
  const bool ties = std::ranges::find(ranking.tied, &cell) != ranking.tied.end();
  place.words = ties ? "= ties" : ratio.launches > 0 ? "\u25BC " + render::format_factor(ratio.value) : "not compared";
  if (ties || ratio.launches > 0) place.css = ties ? "w0" : warmth(ratio.value);
  return place;
}

std::string symbol_of(CellState state) { return report::is_failure(state) ? "\u2715 " : "\u2013 "; }

// Those that are fastest over all scenarios first, those without a rank behind them, those without a time last.
std::vector<GridRow> rows_of(const std::vector<render::ScenarioTable>& tables, const render::Rankings& rankings) {
  std::map<std::string, GridRow> rows;
  const auto row_of = [&](const Cell& cell) -> GridRow& {
    GridRow& row = rows[render::row_name(cell)];
    row.label = render::row_name(cell);
    row.name = report::parse_implementation(cell.implementation);
    return row;
  };
  for (const render::ScenarioTable& table : tables) {
    std::vector<const Cell*> ranked;
    for (const render::Row& row : table.ranked) ranked.push_back(row.cell);
    const render::Ranking ranking = rankings.of(ranked);
    for (const auto* timed : {&table.ranked, &table.unranked}) {
      for (const render::Row& timed_row : *timed) {
        const Cell& cell = *timed_row.cell;
        GridRow& row = row_of(cell);
        row.timed = true;
        row.places[cell.scenario] = timed_place(cell, rankings, ranking);
        if (!report::is_ranked(cell)) continue;
        row.logarithms += std::log(cell.summary->step_ns.value / ranking.fastest->summary->step_ns.value);
        ++row.ranked;
      }
    }
    for (const render::Row& untimed : table.untimed) {
      const CellState state = untimed.cell->status.state;
      row_of(*untimed.cell).places[table.scenario->key] = {
          .css = "none", .figure = "", .words = symbol_of(state) + name_of(state)};
    }
  }
  std::vector<GridRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, {}, [](const GridRow& row) { return std::pair(!row.timed, row.mean()); });
  return sorted;
}

void add_choice(Markup& markup, const std::string& label, const std::string& name,
                const std::set<std::string>& values) {
  markup.element("label", {}, [&] {
    markup.text(label);
    markup.element("select", {{"name", name}}, [&] {
      markup.element("option", {{"value", ""}}, "all");
      for (const std::string& value : values) markup.element("option", {{"value", value}}, value);
    });
  });
}

void add_form(Markup& markup, const std::vector<GridRow>& rows) {
  std::set<std::string> strategies;
  std::set<std::string> backends;
  std::set<std::string> policies;
  for (const GridRow& row : rows) {
    strategies.insert(row.name.strategy);
    if (!row.name.backend.empty()) backends.insert(row.name.backend);
    policies.insert(policy_of(row));
  }
  markup.element("form", {{"role", "search"}, {"aria-label", "Rows of the grid"}, {"data-table", kGridId}}, [&] {
    add_choice(markup, "Strategy", "strategy", strategies);
    add_choice(markup, "Backend", "backend", backends);
    add_choice(markup, "Policy", "policy", policies);
    markup.element("span", {{"role", "status"}}, "");
  });
}

void add_place(Markup& markup, const GridRow& row, const std::string& scenario) {
  const auto place = row.places.find(scenario);
  if (place == row.places.end()) {
    markup.element("td", "");
    return;
  }
  markup.element("td", {{"class", place->second.css}}, [&] {
    markup.text(place->second.figure);
    markup.element("small", place->second.words);
  });
}

// A head cell with the label, or a row with what write() writes, that the filters find.
template <class Write>
void add_filtered(Markup& markup, const char* tag, const GridRow& row, const Write& write) {
  markup.element(tag,
                 {{std::string_view(tag) == "th" ? "scope" : "", "col"},
                  {"data-strategy", row.name.strategy},
                  {"data-backend", row.name.backend},
                  {"data-policy", policy_of(row)}},
                 write);
}

void add_rows_of_implementations(Markup& markup, const std::vector<GridRow>& rows,
                                 const std::vector<render::ScenarioTable>& tables) {
  markup.element("thead", {}, [&] {
    markup.element("tr", {}, [&] {
      markup.element("th", {{"scope", "col"}}, "implementation");
      for (const render::ScenarioTable& table : tables) markup.element("th", {{"scope", "col"}}, table.scenario->label);
    });
  });
  markup.element("tbody", {}, [&] {
    for (const GridRow& row : rows) {
      add_filtered(markup, "tr", row, [&] {
        markup.element("th", {{"scope", "row"}}, row.label);
        for (const render::ScenarioTable& table : tables) add_place(markup, row, table.scenario->key);
      });
    }
  });
}

void add_rows_of_scenarios(Markup& markup, const std::vector<GridRow>& rows,
                           const std::vector<render::ScenarioTable>& tables) {
  markup.element("thead", {}, [&] {
    markup.element("tr", {}, [&] {
      markup.element("th", {{"scope", "col"}}, "scenario");
      for (const GridRow& row : rows) add_filtered(markup, "th", row, [&] { markup.text(row.label); });
    });
  });
  markup.element("tbody", {}, [&] {
    for (const render::ScenarioTable& table : tables) {
      markup.element("tr", {}, [&] {
        markup.element("th", {{"scope", "row"}}, table.scenario->label);
        for (const GridRow& row : rows) add_place(markup, row, table.scenario->key);
      });
    }
  });
}

}  // namespace

void add_grid(Markup& markup, const report::Report& report, const std::vector<render::ScenarioTable>& tables) {
  std::vector<GridRow> rows = rows_of(tables, render::Rankings(report));
  std::vector<std::string> untimed;
  for (; !rows.empty() && !rows.back().timed; rows.pop_back()) untimed.push_back(rows.back().label);
  add_form(markup, rows);
  const bool many = tables.size() > std::max(kMostScenarioColumns, rows.size());
  add_scrollable(markup, "Grid", [&] {
    markup.element("table", {{"class", "grid sortable"}, {"id", kGridId}}, [&] {
      markup.element("caption", "Time per step, and how many times that of the scenario's fastest");
      (many ? add_rows_of_scenarios : add_rows_of_implementations)(markup, rows, tables);
    });
  });
  if (untimed.empty()) return;
  markup.element("p", {{"class", "muted"}}, "Without a time in any scenario: " + joined(untimed) + ".");
}

}  // namespace gdbench::page
