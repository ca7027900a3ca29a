#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/documents.h"
#include "reports/answers/grid.h"
#include "reports/answers/overview_sentences.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/scaling.h"
#include "reports/answers/scenario_charts.h"
#include "reports/answers/target.h"
#include "reports/answers/values.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

using document::Blocks;

constexpr std::size_t kMostOpen = 24;  // scenarios of a page
constexpr std::size_t kWidestLabel = 60;

// "mlp-10-50-1: 9 implementations"; "7 scenarios, 9 implementations".
std::string title_of(const report::Report& report) {
  std::set<std::string> implementations;
  for (const report::Cell& cell : report.cells) implementations.insert(cell.implementation);
  const std::string count = counted(implementations.size(), "implementation");
  if (report.scenarios.size() == 1) return report.scenarios.front().label + ": " + count;
  return "gdbench: " + counted(report.scenarios.size(), "scenario") + ", " + count;
}

void add_figure(Blocks& blocks, MaybeFigure figure) {
  if (figure) blocks.figure(std::move(*figure));
}

class ReportDocument {
 public:
  ReportDocument(const report::Report& report, const report::ReportComparison* comparison)
      : report_(report),
        comparison_(comparison),
        tables_(tables_of(report)),
        attribution_(report),
        scaling_(report),
        values_(report) {}

  document::Document make() {
    document_.title = title_of(report_);
    const Overview overview = overview_of(report_);
    const std::vector<Sentence> sentences = sentences_of(overview);
    if (!sentences.empty()) document_.answer = {{sentences.front().text, sentences.front().style}};
    section("", [&](Blocks& blocks) { introduction(blocks); });
    section("Which wins where", [&](Blocks& blocks) { winners(blocks, overview, sentences); });
    if (comparison_ != nullptr) section("What changed", [&](Blocks& blocks) { comparison(blocks); });
    for (const ScenarioTable& table : tables_) {
      section(table.scenario->label, [&](Blocks& blocks) { scenario(blocks, table); });
    }
    section("Over sizes", [&](Blocks& blocks) { add(blocks, times_over_sizes(report_, tables_, hues_)); });
    section("Loss over steps", [&](Blocks& blocks) { add(blocks, losses_over_steps(tables_)); });
    section("Roofline", [&](Blocks& blocks) { add(blocks, rooflines(report_, tables_, hues_)); });
    section("Costs", [&](Blocks& blocks) { blocks.table(kFitTitle, attribution_.fits()); });
    section("Threads", [&](Blocks& blocks) { blocks.table(kThreadCostsTitle, scaling_.costs()); });
    section("Evidence", [&](Blocks& blocks) { evidence(blocks); });
    return std::move(document_);
  }

 private:
  template <class Write>
  void section(std::string title, const Write& write) {
    Blocks blocks;
    write(blocks);
    document_.section(std::move(title), std::move(blocks));
  }

  static void add(Blocks& blocks, Figures figures) {
    for (document::Figure& figure : figures) blocks.figure(std::move(figure));
  }

  void introduction(Blocks& blocks) {
    blocks.paragraph(measured_words(report_), Style::dim);
    blocks.paragraph(environment_words(report_), Style::dim);
    add(blocks, relative_times(tables_, hues_));
  }

  void winners(Blocks& blocks, const Overview& overview, const std::vector<Sentence>& sentences) {
    // On a terminal the first screen has it, which knows how to make it fit.
    Blocks grid;
    if (!overview.rows.empty() && !overview.columns.empty()) {
      grid.table("", overview.turned ? turned_table(overview, kWidestLabel)
                                     : grid_table(overview, all_parts(overview), kWidestLabel));
      grid.paragraph(hidden_words(overview, kMaxRows));
      grid.paragraph(grid_words(overview, true, true), Style::dim);
    }
    blocks.fold("The fastest of each kind", std::move(grid), false, true);
    document::List list;
    for (const Sentence& sentence : sentences) {
      if (&sentence != sentences.data()) list.items.push_back({sentence.text, sentence.style});
    }
    if (!list.items.empty()) blocks.add({std::move(list)});
    blocks.fold("Every implementation in every scenario", whole_grid(tables_), false, true);
  }

  void comparison(Blocks& blocks) const {
    blocks.add({comparison_answer(*comparison_)}).append(comparison_blocks(*comparison_));
  }

  // Of many scenarios a page shows each when it is opened.
  void scenario(Blocks& blocks, const ScenarioTable& table) {
    blocks.paragraph(scenario_words(*table.scenario), Style::dim);
    blocks.paragraph(winner_words(table));
    if (tables_.size() <= kMostOpen) return scenario_figures(blocks, table);
    Blocks folded;
    scenario_figures(folded, table);
    blocks.fold("Its figures", std::move(folded), true);
  }

  void scenario_figures(Blocks& blocks, const ScenarioTable& table) {
    const std::string& key = table.scenario->key;
    add_figure(blocks, times_figure(table, hues_));
    blocks.paragraph(baseline_words(table), Style::dim);
    if (any_within_one_process(table)) {
      blocks.paragraph(std::string(kOneProcessMark) + " " + kOneProcessWords, Style::dim);
    }
    if (!table.ranked.empty()) {
      blocks.table(std::string("Not ranked ") + kNotRankedWords, text_table(table.unranked));
    }
    untimed(blocks, table);
    blocks.paragraph(reduced_rate_words(table), Style::dim);
    blocks.paragraph(traces_words(table), Style::dim);
    blocks.paragraph(single_steps_words(table), Style::dim);
    blocks.paragraph(control_words(table), Style::dim);
    add_figure(blocks, phases_figure(table));
    add_figure(blocks, curves_figure(table, hues_));
    target(blocks, table);
    blocks.table(attribution_.tax_title(), attribution_.taxes(key));
    blocks.list(attribution_.break_evens(key));
    MaybeFigure threads = threads_figure(report_, *table.scenario, scaling_, hues_);
    if (!threads) blocks.table(kScalingTitle, scaling_.of_scenario(key));
    add_figure(blocks, std::move(threads));
    for (TitledTable& values : values_.of_scenario(key)) blocks.table(values.title, std::move(values.table));
    add_figure(blocks, samples_figure(table, hues_));
    add_figure(blocks, memory_figure(table));
  }

  void target(Blocks& blocks, const ScenarioTable& table) {
    const std::string title = target_title(table);
    if (title.empty()) return;
    MaybeFigure figure = target_figure(table, hues_);
    if (!figure) blocks.table(title, target_table(table));
    add_figure(blocks, std::move(figure));
    blocks.list(target_sentences(table));
  }

  static void untimed(Blocks& blocks, const ScenarioTable& table) {
    document::Columns rows = {left("not timed"), left("reason")};
    for (const UntimedRows& group : untimed_groups(table.untimed)) {
      add_row(rows, {joined(group.names), reason_of(*group.cell)});
      rows[1].styles.push_back(style_of_state(group.cell->status.state));
    }
    blocks.table("", std::move(rows));
  }

  void evidence(Blocks& blocks) const {
    blocks.paragraph(run_words(report_.run));
    blocks.paragraph(versions_words(report_));
    blocks.paragraph(ceilings_words(report_));
    blocks.paragraph(device_words(report_));
    blocks.paragraph(failed_ceilings_words(report_), Style::bad);
    blocks.paragraph(counts_words(report_));
    for (const std::string& words : condition_warnings(report_)) blocks.paragraph("warning: " + words, Style::unsure);
    for (const std::string& note : notes_of(report_)) blocks.paragraph("note: " + note, Style::unsure);
    blocks.fold("Versions, compilers and libraries", Blocks().list(build_words(report_), Style::dim), true);
    if (report_.conditions) blocks.fold("What the run began under", conditions());
    document::Columns commands = {left("cell"), left("command that repeats it")};
    for (const report::Cell& cell : report_.cells) {
      if (cell.summary) add_row(commands, {cell.id, cell.repeat});
    }
    blocks.fold("Commands that repeat each cell", Blocks().table("", std::move(commands)));
    blocks.fold("What columns and words mean (gdbench help columns)", Blocks().list(column_words()));
  }

  Blocks conditions() const {
    document::Columns table = {left("condition"), left("severity"), left("found"), left("effect"), left("advice")};
    for (const report::Condition& condition : *report_.conditions) {
      add_row(table,
              {condition.name, name_of(condition.severity), condition.found, condition.effect, condition.advice});
    }
    return Blocks().table("", std::move(table));
  }

  const report::Report& report_;
  const report::ReportComparison* comparison_;  // of its builds, or nullptr
  std::vector<ScenarioTable> tables_;
  AttributionWords attribution_;
  ScalingWords scaling_;
  ValueWords values_;
  document::Hues hues_;
  document::Document document_;
};

}  // namespace

document::Document document_of(const report::Report& report) { return ReportDocument(report, nullptr).make(); }

document::Document document_of(const report::Report& report, const report::ReportComparison& comparison) {
  return ReportDocument(report, &comparison).make();
}

}  // namespace gdbench::answers
