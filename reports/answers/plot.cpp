#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "reports/answers/format.h"
#include "reports/answers/table.h"
#include "reports/answers/words.h"
#include "reports/document/scale.h"

namespace gdbench::answers {

namespace {

constexpr int kNarrowestPlot = 60;
constexpr int kWidestPlot = 200;
constexpr std::size_t kPlotGap = 2;        // spaces between columns
constexpr std::size_t kFewestMarks = 20;   // columns of an axis
constexpr int kMostTicks = 8;              // more would be a ruler
constexpr double kFactorOfLinearAxis = 2;  // between the largest and the smallest time

// Whether an axis has a place for a time: from what no clock resolves to what is never waited for.
bool can_be_drawn(double nanoseconds) { return nanoseconds >= 1e-6 && nanoseconds <= 1e18; }

// The value alone where there is no interval, or one that no axis has a place for.
stats::Interval interval_of(const stats::Estimate& estimate) {
  const auto& [low, high] = estimate.interval;
  const bool drawn = can_be_drawn(low) && can_be_drawn(high) && low <= estimate.value && estimate.value <= high;
  return drawn ? estimate.interval : stats::Interval{estimate.value, estimate.value};
}

struct Tick {
  std::size_t column = 0;
  std::string label;
};
using Ticks = std::vector<Tick>;

// Times on so many columns.
class Axis {
 public:
  Axis(const std::vector<Row>& rows, std::size_t columns) : columns_(columns) {
    for (const Row& row : rows) {
      const stats::Estimate& estimate = row.cell->summary->step_ns;
      if (!can_be_drawn(estimate.value)) continue;
      const stats::Interval interval = interval_of(estimate);
      ends_.add(interval.low);
      ends_.add(interval.high);
    }
    logarithmic_ = ends_.high > kFactorOfLinearAxis * ends_.low;
    constexpr double kAsGoodAsEqual = 1e-6;
    if (ends_.high - ends_.low < kAsGoodAsEqual * ends_.high) {  // they have the middle
      constexpr double kMargin = 0.1;
      ends_.low *= 1 - kMargin;
      ends_.high *= 1 + kMargin;
    }
  }

  bool has_times() const { return !ends_.empty; }
  const char* name() const { return logarithmic_ ? "logarithmic" : "linear"; }

  // "[--o--]" behind the spaces that put it in its place; empty where the value has none.
  std::string marks(const stats::Estimate& estimate) const {
    if (!can_be_drawn(estimate.value)) return "";
    const stats::Interval interval = interval_of(estimate);
    const std::size_t first = column_of(interval.low);
    const std::size_t last = column_of(interval.high);
    std::string text = std::string(first, ' ') + std::string(last + 1 - first, '-');
    text[first] = '[';
    text[last] = ']';
    text[column_of(estimate.value)] = 'o';
    return text;
  }

  // As many as there is room for.
  Ticks ticks() const {
    Ticks chosen;
    for (int most = kMostTicks; most > 0; --most) {
      const std::vector<double> values = scale().ticks(most);
      if (values.empty()) continue;
      chosen = placed(values);
      if (chosen.size() == values.size()) break;
    }
    return chosen;
  }

  std::string line(const Ticks& ticks) const {
    std::string text(columns_, '-');
    for (const Tick& tick : ticks) text[tick.column] = '+';
    return text;
  }

  std::string labels(const Ticks& ticks) const {
    std::string text;
    for (const Tick& tick : ticks) text = padded(text, start_of(tick), false) + tick.label;
    return text;
  }

 private:
  document::Scale scale() const {
    const auto last = static_cast<double>(columns_ - 1);
    return logarithmic_ ? document::Scale::logarithmic(ends_.low, ends_.high, 0, last)
                        : document::Scale::linear(ends_.low, ends_.high, 0, last);
  }

  std::size_t column_of(double nanoseconds) const {
    return static_cast<std::size_t>(std::lround(scale().at(nanoseconds)));
  }

  // Those whose labels stand apart from each other.
  Ticks placed(const std::vector<double>& values) const {
    Ticks ticks;
    std::size_t free = 0;
    const double step = values.size() > 1 ? values[1] - values[0] : values[0];
    for (const double value : values) {
      const std::string label = logarithmic_ ? format_duration_ns(value) : format_multiple_ns(value, step);
      const Tick tick{column_of(value), label};
      if (start_of(tick) < free) continue;
      free = start_of(tick) + tick.label.size() + kPlotGap;
      ticks.push_back(tick);
    }
    return ticks;
  }

  // The label's first column: centred below its tick as far as the axis reaches.
  std::size_t start_of(const Tick& tick) const {
    const std::size_t half = std::min(tick.column, tick.label.size() / 2);
    return std::min(tick.column - half, columns_ - std::min(columns_, tick.label.size()));
  }

  std::size_t columns_;
  document::Extent ends_;
  bool logarithmic_ = false;
};

class Plot {
 public:
  Plot(const ScenarioTable& table, std::size_t width, bool colour)
      : rows_(table.ranked), table_(table), width_(width), colour_(colour) {}

  std::string render() {
    text_ = paragraph(table_.scenario->label, 0, width_, Style::bold, colour_);
    if (!rows_.empty()) draw();
    std::vector<std::string> left_out;
    if (!table_.unranked.empty()) left_out.push_back(counted(table_.unranked.size(), "row") + " not ranked");
    if (!table_.untimed.empty()) left_out.push_back(counted(table_.untimed.size(), "row") + " without a time");
    if (!left_out.empty()) note("Not drawn: " + joined(left_out) + ".");
    return std::move(text_);
  }

 private:
  void note(const std::string& words) { text_ += paragraph(words, kPlotGap, width_, Style::dim, colour_); }

  void draw() {
    std::vector<std::string> names;
    std::vector<std::string> times;
    std::vector<std::string> verdicts;
    for (const Row& row : rows_) {
      names.push_back(one_line(row_name(*row.cell)));
      times.push_back(time_text(row));
      verdicts.push_back(verdict_text(row));
    }
    const std::size_t figures = display_width(times) + display_width(verdicts) + 4 * kPlotGap;
    const std::size_t marks = std::max(kFewestMarks, width_ / 3);
    const std::size_t most = width_ - std::min(width_, figures + marks);
    const std::size_t name_width = std::min(display_width(names), most);
    const std::size_t before = name_width + figures;  // columns
    const Axis axis(rows_, width_ - before);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Style style = verdict_style(rows_[i]);
      const std::string verdict = padded(verdicts[i], display_width(verdicts), false);
      line({padded(cut(names[i], name_width), name_width, false), padded(times[i], display_width(times), true),
            styled(verdict, style, colour_), styled(axis.marks(rows_[i].cell->summary->step_ns), style, colour_)});
    }
    if (axis.has_times()) draw_axis(axis, before - kPlotGap);
    ScenarioTable drawn{
        .scenario = table_.scenario, .ranked = rows_, .unranked = {}, .untimed = {}, .controls = {}, .ranking = {}};
    if (any_within_one_process(drawn)) note(cat(kOneProcessMark, " ", kOneProcessWords));
  }

  void draw_axis(const Axis& axis, std::size_t before) {
    const Ticks ticks = axis.ticks();
    const std::string name = padded(cut(axis.name(), before - kPlotGap), before - kPlotGap, false);
    line({styled(name, Style::dim, colour_), styled(axis.line(ticks), Style::dim, colour_)});
    line({std::string(before - kPlotGap, ' '), styled(axis.labels(ticks), Style::dim, colour_)});
  }

  void line(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += std::string(kPlotGap, ' ') + text;
    all.erase(all.find_last_not_of(' ') + 1);
    text_ += all + "\n";
  }

  const std::vector<Row>& rows_;
  const ScenarioTable& table_;
  std::size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace

std::string plot(const report::Report& report, const ConsoleOptions& options) {
  const int width = std::clamp(options.width, kNarrowestPlot, kWidestPlot);
  std::string text;
  for (const ScenarioTable& table : tables_of(report)) {
    if (!text.empty()) text += "\n";
    text += Plot(table, static_cast<std::size_t>(width), options.colour).render();
  }
  return text;
}

}  // namespace gdbench::answers
