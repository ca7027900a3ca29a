#include "reports/page/report_page.h"

#include <functional>
#include <utility>

#include "harness/base/text.h"
#include "reports/document/writers.h"
#include "reports/page/parts.h"
#include "reports/page/grid.h"
#include "reports/page/report_figures.h"
#include "reports/page/scenario_figures.h"
#include "reports/render/attribution.h"
#include "reports/render/builds.h"
#include "reports/render/comparison.h"
#include "reports/render/grid.h"
#include "reports/render/overview_sentences.h"
#include "reports/render/scaling.h"
#include "reports/render/values.h"
#include "reports/render/words.h"

namespace gdbench::page {

namespace {

using render::ScenarioTable;

constexpr std::size_t kMostOpen = 24;  // scenarios

class ReportPage {
 public:
  ReportPage(const report::Report& report, const report::ReportComparison* comparison)
      : report_(report),
        comparison_(comparison),
        tables_(render::tables_of(report)),
        attribution_(report),
        scaling_(report),
        values_(report) {}

  std::string render() {
    add("answer", "Who wins where", [this](Markup& markup) { answer(markup); });
    if (comparison_ != nullptr)
      add("comparison", "What changed", [this](Markup& markup) { comparison(markup); });
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const std::string id = "s" + std::to_string(i + 1);
      add(id, tables_[i].scenario->label, [this, i, id](Markup& markup) { scenario(markup, tables_[i], id); });
    }
    add_axes();
    add_loss_curves();
    if (has_rooflines(report_, tables_)) {
      add("roofline", "Roofline", [this](Markup& markup) { add_rooflines(markup, report_, tables_, hues_); });
    }
    add_table_section("costs", "Costs", render::kFitTitle, attribution_.fits());
    add_table_section("threads", "Threads", render::kThreadCostsTitle, scaling_.costs());
    add("evidence", "Evidence", [this](Markup& markup) { evidence(markup); });
    const auto introduction = [&](Markup& markup) {
      add_paragraph(markup, render::measured_words(report_));
      add_paragraph(markup, render::environment_words(report_), "muted");
      if (const std::string versions = render::versions_words(report_); !versions.empty()) {
        add_paragraph(markup, versions, "muted");
      }
    };
    return page_of("gdbench " + report_.run.matrix, sections_, introduction);
  }

 private:
  void add(std::string id, std::string title, std::function<void(Markup&)> write) {
    sections_.push_back({std::move(id), std::move(title), std::move(write)});
  }

  void add_axes() {
    std::vector<Axis> axes = axes_of(tables_);
    if (axes.empty()) return;
    add("sizes", "Over sizes", [this, axes = std::move(axes)](Markup& markup) {
      const render::Rankings rankings(report_);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        add_axis(markup, axes[i], rankings, "size-" + std::to_string(i + 1), hues_);
      }
    });
  }

  void add_loss_curves() {
    std::vector<LossCurves> losses = loss_curves_of(tables_);
    if (losses.empty()) return;
    add("losses", "Loss over steps", [losses = std::move(losses)](Markup& markup) {
      for (std::size_t i = 0; i < losses.size(); ++i) {
        add_losses(markup, losses[i], "losses-" + std::to_string(i + 1));
      }
    });
  }

  // Nothing where the table has no rows.
  void add_table_section(const std::string& id, const std::string& title, const std::string& caption,
                         render::TextTable table) {
    if (table.front().texts.empty()) return;
    add(id, title, [caption, rows = std::move(table)](Markup& markup) { add_titled(markup, caption, rows); });
  }

  void answer(Markup& markup) {
    const render::Overview overview = render::overview_of(report_);
    markup.element("ul", {}, [&] {
      for (const render::Sentence& sentence : render::sentences_of(overview)) {
        const bool bad = sentence.style == render::Style::bad;
        markup.element("li", {{bad ? "class" : "", "warning"}}, sentence.text);
      }
    });
    add_grid(markup, report_, tables_);
  }

  void comparison(Markup& markup) const {
    add_paragraph(markup, render::comparison_answer(*comparison_).text);
    document::add_blocks(markup, render::comparison_blocks(*comparison_).all(), "What changed");
  }

  // Of many scenarios each is opened by whoever wants to see it.
  void scenario(Markup& markup, const ScenarioTable& table, const std::string& id) {
    if (tables_.size() <= kMostOpen) return figures_of(markup, table, id);
    markup.element("details", {}, [&] {
      markup.element("summary", render::winner_words(table));
      figures_of(markup, table, id);
    });
  }

  void figures_of(Markup& markup, const ScenarioTable& table, const std::string& id) {
    const std::string& key = table.scenario->key;
    add_paragraph(markup, render::scenario_words(*table.scenario), "muted");
    add_paragraph(markup, render::reduced_rate_words(table));
    add_paragraph(markup, render::control_words(table));
    const ScenarioView view{.table = table, .id = id, .winner = render::winner_words(table), .hues = hues_};
    for (const auto add : {add_times, add_phases, add_curves, add_target, add_samples, add_memory}) add(markup, view);
    add_titled(markup, attribution_.tax_title(), attribution_.taxes(key));
    add_list(markup, attribution_.break_evens(key, false));
    add_threads(markup, view, report_, scaling_);
    for (const render::TitledTable& values : values_.of_scenario(key)) add_titled(markup, values.title, values.table);
    untimed(markup, table);
  }

  static void untimed(Markup& markup, const ScenarioTable& table) {
    render::TextTable rows = {{.title = "not timed", .texts = {}}, {.title = "reason", .texts = {}}};
    for (const render::UntimedRows& group : render::untimed_groups(table.untimed)) {
      add_row(rows, {joined(group.names), render::reason_of(*group.cell)});
    }
    add_titled(markup, "Implementations without a time", rows);
  }

  void evidence(Markup& markup) {
    add_paragraph(markup, render::run_words(report_.run));
    add_paragraph(markup, render::ceilings_words(report_));
    add_paragraph(markup, render::failed_ceilings_words(report_), "warning");
    add_paragraph(markup, render::counts_words(report_));
    if (report_.conditions) conditions(markup);
    add_list(markup, render::notes_of(report_));
    add_folded(markup, "Versions, compilers and libraries", [&] { add_list(markup, render::build_words(report_)); });
    render::TextTable repeats = {{.title = "cell", .texts = {}}, {.title = "command that repeats it", .texts = {}}};
    for (const report::Cell& cell : report_.cells) {
      if (cell.summary) add_row(repeats, {cell.id, cell.repeat});
    }
    add_folded(markup, "Commands that repeat each cell", [&] { add_titled(markup, "Each cell alone", repeats); });
    add_folded(markup, "What columns and words mean", [&] { add_list(markup, render::column_words()); });
  }

  void conditions(Markup& markup) {
    render::TextTable table = {{.title = "condition", .texts = {}},
                               {.title = "severity", .texts = {}},
                               {.title = "found", .texts = {}},
                               {.title = "effect", .texts = {}},
                               {.title = "advice", .texts = {}}};
    for (const report::Condition& condition : *report_.conditions) {
      add_row(table,
              {condition.name, name_of(condition.severity), condition.found, condition.effect, condition.advice});
    }
    add_titled(markup, "What the run began under", table);
  }

  const report::Report& report_;
  const report::ReportComparison* comparison_;  // of its builds, or nullptr
  std::vector<ScenarioTable> tables_;
  render::AttributionWords attribution_;
  render::ScalingWords scaling_;
  render::ValueWords values_;
  Hues hues_;
  std::vector<Section> sections_;
};

}  // namespace

std::string report_page(const report::Report& report) { return ReportPage(report, nullptr).render(); }

std::string report_page(const report::Report& report, const report::ReportComparison& comparison) {
  return ReportPage(report, &comparison).render();
}

}  // namespace gdbench::page
