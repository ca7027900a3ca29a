#include "reports/render/console.h"

#include <algorithm>

#include "harness/base/text.h"
#include "reports/render/attribution.h"
#include "reports/render/builds.h"
#include "reports/render/device.h"
#include "reports/render/format.h"
#include "reports/render/scaling.h"
#include "reports/render/target.h"
#include "reports/render/values.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

constexpr std::size_t kGap = 2;  // spaces between columns
constexpr std::size_t kNarrowest = 20;

std::size_t width_of(const TextColumn& column) {
  return std::max(display_width(column.title), display_width(column.texts));
}

class Console {
 public:
  Console(const report::Report& report, const ConsoleOptions& options)
      : report_(report),
        attribution_(report),
        scaling_(report),
        values_(report),
        colour_(options.colour),
        width_(std::max(kNarrowest, static_cast<std::size_t>(std::max(0, options.width)))) {}

  std::string render() {
    paragraph(run_words(report_.run), 0, Style::bold);
    paragraph(environment_words(report_), 0, Style::dim);
    paragraph(ceilings_words(report_), 0, Style::dim);
    paragraph(device_words(report_), 0, Style::dim);
    const std::vector<ScenarioTable> tables = tables_of(report_);
    for (const ScenarioTable& table : tables) scenario(table);
    if (const TextTable fits = attribution_.fits(); !fits.front().texts.empty()) {
      text_ += "\n";
      titled(kFitTitle, fits);
    }
    if (const TextTable costs = scaling_.costs(); !costs.front().texts.empty()) {
      text_ += "\n";
      titled(kThreadCostsTitle, costs);
    }
    summary(tables);
    return std::move(text_);
  }

 private:
  std::string styled(const std::string& text, Style style) const { return render::styled(text, style, colour_); }

  void paragraph(const std::string& text, std::size_t indent, Style style = Style::plain) {
    text_ += render::paragraph(text, indent, width_, style, colour_);
  }

  void scenario(const ScenarioTable& table) {
    text_ += "\n";
    paragraph(table.scenario->label, 0, Style::bold);
    paragraph(scenario_words(*table.scenario), 2);
    std::vector<Row> timed = table.ranked;
    timed.insert(timed.end(), table.unranked.begin(), table.unranked.end());
    if (!timed.empty()) print(text_table(timed), table.ranked.size());
    paragraph(baseline_words(table), kGap, Style::dim);
    untimed_rows(table.untimed);
    const std::string& key = table.scenario->key;
    titled(attribution_.tax_title(), attribution_.taxes(key));
    for (const std::string& sentence : attribution_.break_evens(key, true)) paragraph(sentence, kGap);
    titled(kScalingTitle, scaling_.of_scenario(key));
    for (const TitledTable& values : values_.of_scenario(key)) titled(values.title, values.table);
    target(table);
    paragraph(reduced_rate_words(table), 2, Style::dim);
    paragraph(control_words(table), 2, Style::dim);
    if (any_within_one_process(table)) paragraph(std::string(kOneProcessMark) + " " + kOneProcessWords, 2, Style::dim);
  }

  // Prints the rows under one header, a line of its own before row number `unranked`.
  void print(TextTable table, std::size_t unranked) {
    leave_out(table);
    std::vector<std::size_t> widths;
    for (const TextColumn& column : table) widths.push_back(width_of(column));
    const auto line = [&](auto&& text_of) {
      std::string text;
      for (std::size_t i = 0; i < table.size(); ++i) text += std::string(kGap, ' ') + text_of(table[i], widths[i]);
      text.erase(text.find_last_not_of(' ') + 1);
      text_ += text + "\n";
    };
    line([&](const TextColumn& column, std::size_t width) {
      const std::string title = padded(column.title, width, column.right_aligned);
      return &column != &table.back() || column.right_aligned ? styled(title, Style::dim) : title;
    });
    for (std::size_t row = 0; row < table.front().texts.size(); ++row) {
      if (row == unranked) paragraph(formatted("not ranked %s:", kNotRankedWords), kGap, Style::dim);
      line([&](const TextColumn& column, std::size_t width) {
        const std::string& text = column.texts[row];
        const Style style = column.styles.empty() ? Style::plain : column.styles[row];
        const bool last = &column == &table.back() && !column.right_aligned;
        return styled(last ? text : padded(text, width, column.right_aligned), style);
      });
    }
  }

  // A table that needs no more than its title; nothing where it has no rows.
  void titled(const std::string& title, const TextTable& table) {
    if (table.front().texts.empty()) return;
    paragraph(title + ":", kGap, Style::dim);
    print(table, table.front().texts.size());
  }

  void target(const ScenarioTable& table) {
    const std::string title = target_title(table);
    if (title.empty()) return;
    paragraph(title + ":", kGap, Style::dim);
    const TextTable reached = target_table(table);
    if (!reached.front().texts.empty()) print(reached, reached.front().texts.size());
    for (const std::string& sentence : target_sentences(table)) paragraph(sentence, kGap);
  }

  void untimed_rows(const std::vector<Row>& rows) {
    const std::vector<UntimedRows> groups = untimed_groups(rows);
    std::size_t width = 0;
    for (const UntimedRows& group : groups) {
      if (group.names.size() == 1) width = std::max(width, display_width(group.names.front()));
    }
    for (const UntimedRows& group : groups) {
      const Style style = style_of_state(group.cell->status.state);
      if (group.names.size() > 1) {
        paragraph(reason_of(*group.cell) + ": " + joined(group.names), kGap, style);
        continue;
      }
      text_ += std::string(kGap, ' ') + padded(group.names.front(), width, false);
      const std::size_t start = text_.size();
      paragraph(reason_of(*group.cell), width + 2 * kGap, style);
      text_.erase(start, width + kGap);  // the first line of the reason stands beside the name
    }
  }

  // Drops the least important columns until a row fits; the end of the report says which.
  void leave_out(TextTable& table) {
    const auto total = [&table] {
      std::size_t sum = 0;
      for (const TextColumn& column : table) sum += width_of(column) + kGap;
      return sum;
    };
    while (total() > width_) {
      const auto least =
          std::ranges::max_element(table, [](const TextColumn& a, const TextColumn& b) { return a.rank < b.rank; });
      if (least->rank == 0) return;
      if (std::ranges::find(left_out_, least->title) == left_out_.end()) {
        left_out_.push_back(least->title);
      }
      table.erase(least);
    }
  }

  void summary(const std::vector<ScenarioTable>& tables) {
    text_ += "\n";
    paragraph(counts_words(report_), 0, Style::bold);
    for (const ScenarioTable& table : tables) paragraph(winner_words(table), 2);
    paragraph(failed_ceilings_words(report_), 0, Style::bad);
    for (const std::string& words : condition_warnings(report_)) paragraph("warning: " + words, 0, Style::unsure);
    for (const std::string& note : notes_of(report_)) paragraph("note: " + note, 0, Style::unsure);
    for (const std::string& build : build_words(report_)) paragraph(build, 0, Style::dim);
    std::string names;
    for (const std::string& title : left_out_) names += (names.empty() ? "" : ", ") + title;
    if (!names.empty()) paragraph("Left out of a table for lack of width: " + names + ".", 0, Style::dim);
    paragraph("What the columns mean: gdbench help columns", 0, Style::dim);
  }

  const report::Report& report_;
  AttributionWords attribution_;
  ScalingWords scaling_;
  ValueWords values_;
  bool colour_;
  std::size_t width_;
  std::string text_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::string console(const report::Report& report, const ConsoleOptions& options) {
  return Console(report, options).render();
}

}  // namespace gdbench::render
