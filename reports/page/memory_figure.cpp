#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

constexpr double kThickness = 10;  // of a bar, in pixels

double own_bytes(const report::Cell& cell) {
  return static_cast<double>(cell.summary->peak_anonymous_bytes.value_or(0));
}
double peak_bytes(const report::Cell& cell) { return static_cast<double>(cell.summary->peak_resident_bytes); }

}  // namespace

void add_memory(Markup& markup, const ScenarioView& view) {
  std::vector<const report::Cell*> cells;
  Extent bytes;
  for (const render::Row& row : timed_rows(view.table)) {
    if (peak_bytes(*row.cell) <= 0) continue;
    cells.push_back(row.cell);
    bytes.add(peak_bytes(*row.cell));
  }
  if (cells.empty()) return;
  render::TextTable numbers = {{.title = "implementation", .texts = {}},
                               {.title = "its own", .right_aligned = true, .texts = {}},
                               {.title = "peak", .right_aligned = true, .texts = {}}};
  for (const report::Cell* cell : cells) {
    add_row(numbers, {render::row_name(*cell),
                      cell->summary->peak_anonymous_bytes ? render::format_bytes(own_bytes(*cell)) : "-",
                      render::format_bytes(peak_bytes(*cell))});
  }
  const Figure figure{.id = view.id + "-memory",
                      .title = "Memory",
                      .sentence =
                          "Of a process at its peak: what is its own, and in grey what it shares, as data and "
                          "libraries.",
                      .height = kRowsTop + kRowHeight * static_cast<double>(cells.size()) + 4,
                      .data = std::move(numbers)};
  add_figure(markup, figure, [&] {
    const Scale scale = Scale::linear(0, bytes.high, kRowsLeft, kRowsRight);
    add_text(markup, kRowsLeft, 12, "q", "bytes, from 0");
    std::string peaks;
    std::string own;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double y = kRowsTop + kRowHeight * static_cast<double>(i);
      peaks += bar_path(kRowsLeft, y, scale.at(peak_bytes(*cells[i])) - kRowsLeft, kThickness);
      own += bar_path(kRowsLeft, y, scale.at(own_bytes(*cells[i])) - kRowsLeft, kThickness);
      add_text(markup, 0, y + 9, "", short_name(*cells[i]));
      add_text(markup, kPictureWidth, y + 9, "e", render::format_bytes(peak_bytes(*cells[i])));
    }
    markup.empty("path", {{"class", "b"}, {"d", peaks}});
    markup.empty("path", {{"class", "k0"}, {"d", own}});
  });
}

}  // namespace gdbench::page
