#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "reports/answers/format.h"
#include "reports/answers/table.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

constexpr int kNarrowestPlot = 60;
constexpr int kWidestPlot = 200;
constexpr std::size_t kPlotGap = 2;        // spaces between columns
constexpr std::size_t kFewestMarks = 20;   // columns of an axis
constexpr std::size_t kMostTicks = 8;      // more would be a ruler
constexpr double kFactorOfLinearAxis = 2;  // between the largest and the smallest time
constexpr double kDecade = 10;

// Whether an axis has a place for a time: from what no clock resolves to what nobody waits for.
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

// Times from `low` to `high` on so many columns.
class Axis {
 public:
  Axis(const std::vector<Row>& rows, std::size_t columns) : columns_(columns) {
    for (const Row& row : rows) {
      const stats::Estimate& estimate = row.cell->summary->step_ns;
      if (!can_be_drawn(estimate.value)) continue;
      const stats::Interval interval = interval_of(estimate);
      low_ = std::min(low_, interval.low);
      high_ = std::max(high_, interval.high);
    }
    logarithmic_ = high_ > kFactorOfLinearAxis * low_;
    constexpr double kAsGoodAsEqual = 1e-6;
    if (has_times() && high_ - low_ < kAsGoodAsEqual * high_) {  // they have the middle
      constexpr double kMargin = 0.1;
      low_ *= 1 - kMargin;
      high_ *= 1 + kMargin;
    }
  }

  bool has_times() const { return low_ <= high_; }
  const char* name() const { return logarithmic_ ? "logarithmic" : "linear"; }

  std::size_t column_of(double nanoseconds) const {
    const auto scaled = [this](double value) { return logarithmic_ ? std::log(value) : value; };
    const double share = (scaled(nanoseconds) - scaled(low_)) / (scaled(high_) - scaled(low_));
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns_ - 1)));
  }

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
    for (const std::vector<Multiple>& multiples : high_ < kDecade * low_ ? steps() : decades()) {
      if (multiples.empty() || multiples.size() > kMostTicks) continue;
      chosen = placed(multiples);
      if (chosen.size() == multiples.size()) break;
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
  struct Multiple {
    double value = 0;
    double step = 0;
  };

  // Lists of multiples, each of a larger step than the one before it, up to the last that the axis surely has any of.
  std::vector<std::vector<Multiple>> steps() const {
    std::vector<std::vector<Multiple>> lists;
    const double span = high_ - low_;
    for (double decade = std::pow(kDecade, std::floor(std::log10(span)) - 1); decade <= span; decade *= kDecade) {
      for (const double step : {decade, 2 * decade, 5 * decade}) {
        if (step > span) break;
        std::vector<Multiple>& list = lists.emplace_back();
        for (double i = std::ceil(low_ / step); i * step <= high_; ++i) list.push_back({i * step, step});
      }
    }
    return lists;
  }

  // 1, 2 and 5 of each decade, then the powers of ten, then every second of them, and so on.
  std::vector<std::vector<Multiple>> decades() const {
    std::vector<std::vector<Multiple>> lists(1);
    const int first = static_cast<int>(std::floor(std::log10(low_)));
    const int last = static_cast<int>(std::ceil(std::log10(high_)));
    const auto add = [this](std::vector<Multiple>& list, double decade, double factor) {
      const double value = factor * decade;
      if (value >= low_ && value <= high_) list.push_back({value, decade});
    };
    for (int exponent = first; exponent <= last; ++exponent) {
      for (const double factor : {1.0, 2.0, 5.0}) add(lists.front(), std::pow(kDecade, exponent), factor);
    }
    for (int every = 1; every <= last - first; ++every) {
      std::vector<Multiple>& list = lists.emplace_back();
      for (int exponent = first; exponent <= last; ++exponent) {
        if (exponent % every == 0) add(list, std::pow(kDecade, exponent), 1);
      }
    }
    return lists;
  }

  // Those whose labels stand apart from each other.
  Ticks placed(const std::vector<Multiple>& multiples) const {
    Ticks ticks;
    std::size_t free = 0;
    for (const Multiple& multiple : multiples) {
      const Tick tick{column_of(multiple.value), format_multiple_ns(multiple.value, multiple.step)};
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
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = 0;
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
