#include <algorithm>
#include <array>

#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using report::Phase;

constexpr double kBarHeight = 12;
constexpr double kNarrowest = 0.05;  // pixels of a bar that is drawn
constexpr double kLetter = 6.8;      // pixels of one, about

struct Part {
  const char* name;
  Phase phase;
  int hue;
};
constexpr Part kParts[] = {{"data", Phase::data, 0},         {"forward", Phase::forward, 1},
                           {"backward", Phase::backward, 2}, {"exchange", Phase::exchange, kHues},
                           {"update", Phase::update, 3},     {"record", Phase::record, 4},
                           {"other", Phase::other, 5}};
constexpr std::size_t kUnattributed = std::size(kParts);
using Shares = std::array<double, kUnattributed + 1>;

// Of the profiled step.
Shares shares_of(const report::Profile& profile) {
  Shares shares{};
  const double step = profile.profiled_step_ns;
  if (!(step > 0)) return shares;
  for (const report::ProfileRecord& record : profile.records) {
    if (record.once()) continue;
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      if (kParts[i].phase == record.phase) shares[i] += record.time_ns / step;
    }
  }
  shares[kUnattributed] = std::max(0.0, report::unattributed_ns(profile) / step);
  return shares;
}

std::string name_of_part(std::size_t part) { return part == kUnattributed ? "nobody's" : kParts[part].name; }

std::string class_of_part(std::size_t part) {
  return "k" + std::to_string(part == kUnattributed ? kHues - 1 : kParts[part].hue);
}

// Those that some cell has.
std::vector<std::size_t> parts_of(const std::vector<const report::Cell*>& cells) {
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part <= kUnattributed; ++part) {
    const auto has = [&](const report::Cell* cell) { return shares_of(*cell->profile)[part] > 0; };
    if (std::ranges::any_of(cells, has)) parts.push_back(part);
  }
  return parts;
}

// A path for each part, with its bars of all rows.
void add_bars(Markup& markup, const std::vector<const report::Cell*>& cells) {
  const Scale scale = Scale::linear(0, 1, kRowsLeft, kRowsRight);
  std::array<std::string, kUnattributed + 1> paths;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Shares shares = shares_of(*cells[i]->profile);
    double before = 0;
    for (std::size_t part = 0; part < shares.size(); ++part) {
      const double from = scale.at(before);
      before += shares[part];
      const double width = scale.at(before) - from;
      if (width >= kNarrowest)
        paths[part] += bar_path(from, kRowsTop + kRowHeight * static_cast<double>(i), width, kBarHeight);
    }
  }
  for (std::size_t part = 0; part < paths.size(); ++part) {
    if (!paths[part].empty()) markup.empty("path", {{"class", class_of_part(part)}, {"d", paths[part]}});
  }
}

}  // namespace

int hue_of_phase(report::Phase phase) {
  const auto* const part = std::ranges::find(kParts, phase, &Part::phase);
  return part == std::end(kParts) ? kHues - 1 : part->hue;
}

void add_phases(Markup& markup, const ScenarioView& view) {
  std::vector<const report::Cell*> cells;
  for (const render::Row& row : timed_rows(view.table)) {
    if (row.cell->profile && row.cell->profile->profiled_step_ns > 0) cells.push_back(row.cell);
  }
  if (cells.empty()) return;
  render::TextTable numbers = {{.title = "implementation", .texts = {}},
                               {.title = "profiled step", .right_aligned = true, .texts = {}}};
  const std::vector<std::size_t> parts = parts_of(cells);
  for (const std::size_t part : parts) {
    numbers.push_back({.title = name_of_part(part), .right_aligned = true, .texts = {}});
  }
  for (const report::Cell* cell : cells) {
    std::vector<std::string> texts = {render::row_name(*cell),
                                      render::format_duration_ns(cell->profile->profiled_step_ns)};
    const Shares shares = shares_of(*cell->profile);
    for (const std::size_t part : parts) texts.push_back(render::format_percent(shares[part]));
    add_row(numbers, texts);
  }
  const Figure figure{.id = view.id + "-phases",
                      .title = "Where a step's time goes",
                      .sentence =
                          "Shares of a profiled step by phase; nobody's is what no op claims, as loops, calls and "
                          "clock readings.",
                      .height = kRowsTop + kRowHeight * static_cast<double>(cells.size()) + 4,
                      .data = std::move(numbers)};
  add_figure(markup, figure, [&] {
    double x = kRowsLeft;
    for (const std::size_t part : parts) {
      markup.empty(
          "rect",
          {{"class", class_of_part(part)}, {"x", coordinate(x)}, {"y", "4"}, {"width", "10"}, {"height", "10"}});
      add_text(markup, x + 14, 13, "", name_of_part(part));
      x += 30 + kLetter * static_cast<double>(name_of_part(part).size());
    }
    add_bars(markup, cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double y = kRowsTop + kRowHeight * static_cast<double>(i);
      add_text(markup, 0, y + 10, "", short_name(*cells[i]));
      add_text(markup, kPictureWidth, y + 10, "e", render::format_duration_ns(cells[i]->profile->profiled_step_ns));
    }
  });
}

}  // namespace gdbench::page
