#include <algorithm>
#include <map>
#include <utility>

#include "reports/page/report_figures.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using report::VectorCeilings;

constexpr PlotArea kRoofline = PlotArea{.top = 40, .bottom = 336};
constexpr std::size_t kLetters = 26;         // scenarios beyond these have none
constexpr double kKeyHeight = 52;            // from the area to the first scenario's name
constexpr std::size_t kKeyColumns = 3;       // names side by side
constexpr double kLeastLetterDistance = 12;  // pixels; letters that are closer stand in one word
constexpr double kHalfFloor = 7;             // of a floor's dash, in pixels

struct Dot {
  std::size_t scenario;  // place among those of the figure
  const report::Cell* cell;
  double intensity;  // operations a byte
  double rate;       // operations a nanosecond: 1e9 a second
  double floor_rate;
};

// Cells of one type and number of threads, and what as many threads reached.
struct Group {
  const VectorCeilings* ceilings = nullptr;
  double peak = 0;  // 1e9 operations a second
  std::vector<const render::ScenarioTable*> scenarios;
  std::vector<Dot> dots;
};
using Groups = std::map<std::pair<std::string, int>, Group>;

// Operations are those of the matrix products, two for each multiply-add of the floor.
void add_dot(Group& group, const render::ScenarioTable& table, const report::Cell& cell) {
  const report::Summary& summary = *cell.summary;
  const report::CeilingShare& ceiling = *summary.ceiling;
  const double operations =
      (ceiling.operations_ns - ceiling.functions_ns.value_or(0) - ceiling.roots_ns.value_or(0)) * group.peak;
  if (!(operations > 0)) return;
  if (group.scenarios.empty() || group.scenarios.back() != &table) group.scenarios.push_back(&table);
  group.dots.push_back({group.scenarios.size() - 1, &cell, operations / *ceiling.bytes,
                        operations / summary.step_ns.value, operations / ceiling.floor_ns});
}

Groups groups_of(const report::Report& report, const std::vector<render::ScenarioTable>& tables) {
  Groups groups;
  for (const render::ScenarioTable& table : tables) {
    const std::string dtype = table.scenario->resolved.dtype_name();
    for (const render::Row& row : table.ranked) {
      const report::Cell& cell = *row.cell;
      const VectorCeilings* ceilings = report.ceilings ? report.ceilings->best_of(cell.threads) : nullptr;
      const bool known = cell.summary->ceiling && cell.summary->ceiling->bytes.value_or(0) > 0;
      if (ceilings == nullptr || !known) continue;
      Group& group = groups[{dtype, cell.threads}];
      group.ceilings = ceilings;
      group.peak = ceilings->product_gflop_per_second(table.scenario->resolved.dtype.value_or(report::Dtype::f32));
      add_dot(group, table, cell);
    }
  }
  std::erase_if(groups, [](const auto& entry) { return entry.second.dots.empty(); });
  return groups;
}

struct Roof {
  std::string name;
  double gb_per_second;
};

class RooflinePicture {
 public:
  RooflinePicture(Markup& markup, const Group& group, Hues& hues)
      : markup_(markup), group_(group), hues_(hues), peak_(group.peak) {
    for (const report::LevelCeiling& level : group.ceilings->levels) {
      const double best = std::max(level.read_gb_per_second, level.update_gb_per_second);
      if (best > 0) roofs_.push_back({level.level, best});
    }
    Extent intensities;
    Extent rates;
    for (const Dot& dot : group.dots) {
      intensities.add_positive(dot.intensity);
      rates.add_positive(dot.rate);
    }
    // Where the roofs bend, too.
    for (const Roof& roof : roofs_) intensities.add_positive(peak_ / roof.gb_per_second);
    rates.add_positive(peak_);
    least_ = rates.low / 1.5;
    up_ = Scale::logarithmic(least_, rates.high * 1.5, kRoofline.bottom, kRoofline.top);
    from_ = intensities.low / 4;
    to_ = intensities.high * 2;
    across_ = Scale::logarithmic(from_, to_, kRoofline.left, kRoofline.right);
  }

  static double height(const Group& group) {
    const std::size_t names = std::min(group.scenarios.size(), kLetters);
    return kRoofline.bottom + kKeyHeight + kLineHeight * static_cast<double>((names + kKeyColumns - 1) / kKeyColumns);
  }

  void draw() {
    add_ticks_across(markup_, kRoofline, across_, 8, &render::format_number);
    add_ticks_up(markup_, kRoofline, up_, 8, &render::format_number);
    add_text(markup_, (kRoofline.left + kRoofline.right) / 2, kRoofline.bottom + 34, "q m",
             "operations per byte, logarithmic");
    add_text(markup_, 0, 12, "q", "Gop/s of products, logarithmic");
    for (const Roof& roof : roofs_) slope(roof);
    add_line(markup_, kRoofline.left, up_.at(peak_), kRoofline.right, up_.at(peak_), "o");
    marks();
    letters();
    margin();
  }

 private:
  // From the left end, or where it comes up from below, to the peak.
  void slope(const Roof& roof) {
    const double from = std::max(from_, least_ / roof.gb_per_second);
    const double to = std::min(to_, peak_ / roof.gb_per_second);
    if (from >= to) return;
    add_line(markup_, across_.at(from), up_.at(from * roof.gb_per_second), across_.at(to),
             up_.at(to * roof.gb_per_second), "o");
  }

  void marks() {
    std::map<int, std::string> paths;
    std::string floors;
    std::size_t done = group_.scenarios.size();  // none yet
    for (const Dot& dot : group_.dots) {
      const int hue = hue_of(hues_, *dot.cell);
      paths[hue] += mark_path(hue, across_.at(dot.intensity), up_.at(dot.rate));
      if (dot.scenario == done) continue;
      done = dot.scenario;
      floors += "M" + coordinate(across_.at(dot.intensity) - kHalfFloor) + " " + coordinate(up_.at(dot.floor_rate)) +
                "h" + coordinate(2 * kHalfFloor);
    }
    for (const auto& [hue, path] : paths) markup_.empty("path", {{"class", "k" + std::to_string(hue)}, {"d", path}});
    markup_.empty("path", {{"class", "o"}, {"d", floors}});
  }

  // Above the area, and beneath it what they stand for.
  void letters() {
    std::vector<std::pair<double, std::size_t>> places;
    std::size_t next = 0;
    for (const Dot& dot : group_.dots) {
      if (dot.scenario != next || next >= kLetters) continue;
      places.emplace_back(across_.at(dot.intensity), next++);
    }
    std::ranges::sort(places);
    for (std::size_t i = 0; i < places.size();) {
      const double x = places[i].first;
      std::string together;
      for (; i < places.size() && places[i].first - x < kLeastLetterDistance; ++i) together += letter(places[i].second);
      add_text(markup_, x, kRoofline.top - 4, "m", together);
    }
    for (std::size_t i = 0; i < next; ++i) {
      const double width = kPictureWidth / static_cast<double>(kKeyColumns);
      const std::string name = render::cut(group_.scenarios[i]->scenario->label, kRoomOfRows);
      add_text(markup_, 4 + width * static_cast<double>(i % kKeyColumns),
               kRoofline.bottom + kKeyHeight + kLineHeight * static_cast<double>(i / kKeyColumns), "",
               letter(i) + " " + name);
    }
  }

  static std::string letter(std::size_t scenario) { return std::string(1, static_cast<char>('a' + scenario)); }

  // Hues with their strategies, and roofs from the highest.
  void margin() {
    double y = kRoofline.top + 8;
    const auto line = [&](const std::string& text) {
      add_text(markup_, kRoofline.right + 22, y + 4, "", render::cut(text, kRoomOfMargin));
      y += kLineHeight;
    };
    std::map<int, std::string> strategies;
    for (const Dot& dot : group_.dots) {
      std::string& names = strategies[hue_of(hues_, *dot.cell)];
      const std::string strategy = report::parse_implementation(dot.cell->implementation).strategy;
      if (names.find(strategy) == std::string::npos) render::join(names, strategy);
    }
    for (const auto& [hue, names] : strategies) {
      add_mark(markup_, hue, kRoofline.right + 12, y);
      line(names);
    }
    markup_.empty("path", {{"class", "o"}, {"d", "M" + coordinate(kRoofline.right + 5) + " " + coordinate(y) + "h14"}});
    line("floor");
    y += kLineHeight / 2;
    line("roofs:");
    line("FMA " + render::format_number(peak_) + " Gop/s");
    std::vector<Roof> sorted = roofs_;
    std::ranges::stable_sort(sorted, std::ranges::greater(), &Roof::gb_per_second);
    for (const Roof& roof : sorted) line(roof.name + " " + render::format_number(roof.gb_per_second) + " GB/s");
  }

  Markup& markup_;
  const Group& group_;
  Hues& hues_;
  double peak_;
  double least_ = 0;  // Gop/s
  double from_ = 0;   // operations a byte
  double to_ = 0;
  std::vector<Roof> roofs_;
  Scale across_ = Scale::linear(0, 1, 0, 1);
  Scale up_ = Scale::linear(0, 1, 0, 1);
};

render::TextTable table_of(const Group& group) {
  render::TextTable table = {{.title = "scenario", .texts = {}},
                             {.title = "implementation", .texts = {}},
                             {.title = "operations/byte", .right_aligned = true, .texts = {}},
                             {.title = "Gop/s", .right_aligned = true, .texts = {}},
                             {.title = "floor, Gop/s", .right_aligned = true, .texts = {}},
                             {.title = "of floor", .texts = {}}};
  for (const Dot& dot : group.dots) {
    add_row(table, {group.scenarios[dot.scenario]->scenario->label, render::row_name(*dot.cell),
                    render::format_number(dot.intensity), render::format_number(dot.rate),
                    render::format_number(dot.floor_rate), render::ceiling_words(*dot.cell)});
  }
  return table;
}

std::string sentence_of(const Group& group, int processor) {
  const auto best =
      std::ranges::max_element(group.dots, {}, [](const Dot& dot) { return dot.cell->summary->ceiling->share; });
  return "What each step reaches under what processor " + std::to_string(processor) +
         " and its caches reached in this run: operations of matrix products, and bytes that a step cannot do without. "
         "A "
         "dash is a scenario's floor, below the roofs where dependent operations wait for each other or functions take "
         "their time. Closest to its floor is " +
         render::row_name(*best->cell) + " in " + group.scenarios[best->scenario]->scenario->label + ", at " +
         render::format_percent(best->cell->summary->ceiling->share) + ".";
}

}  // namespace

bool has_rooflines(const report::Report& report, const std::vector<render::ScenarioTable>& tables) {
  return !groups_of(report, tables).empty();
}

void add_rooflines(Markup& markup, const report::Report& report, const std::vector<render::ScenarioTable>& tables,
                   Hues& hues) {
  for (const auto& [kind, group] : groups_of(report, tables)) {
    const auto& [dtype, threads] = kind;
    const Figure figure{.id = "roofline-" + dtype + "-" + std::to_string(threads),
                        .title = "Roofline, " + dtype + ", " + render::counted(threads, "thread"),
                        .sentence = sentence_of(group, report.ceilings->processor),
                        .height = RooflinePicture::height(group),
                        .data = table_of(group)};
    add_figure(markup, figure, [&, &rows = group] { RooflinePicture(markup, rows, hues).draw(); });
  }
}

}  // namespace gdbench::page
