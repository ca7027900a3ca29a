#include "reports/page/history_page.h"

#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/page/history_figure.h"
#include "reports/render/format.h"

namespace gdbench::page {

namespace {

using report::History;
using report::HistoryCell;
using Cells = std::vector<const HistoryCell*>;

// More cells without a change than these are folded.
constexpr std::size_t kMostUnchanged = 8;

// Cells of each scenario, by its key: one that changed has another key under the same label.
std::vector<Cells> by_scenario(const History& history) {
  std::vector<Cells> scenarios;
  for (const HistoryCell& cell : history.cells) {
    const auto same =
        std::ranges::find_if(scenarios, [&](const Cells& cells) { return cells.front()->scenario == cell.scenario; });
    (same == scenarios.end() ? scenarios.emplace_back() : *same).push_back(&cell);
  }
  return scenarios;
}

render::TextTable table_of_reports(const History& history) {
  render::TextTable table = {{.title = "revision", .texts = {}},
                             {.title = "report", .right_aligned = true, .texts = {}},
                             {.title = "committed", .texts = {}},
                             {.title = "measured", .texts = {}},
                             {.title = "file", .texts = {}}};
  for (std::size_t i = 0; i < history.reports.size(); ++i) {
    const report::HistoryReport& report = history.reports[i];
    add_row(table, {report.revision, std::to_string(i + 1), report.committed_at.empty() ? "-" : report.committed_at,
                    report.started_at, report.file});
  }
  return table;
}

class HistoryPage {
 public:
  explicit HistoryPage(const History& history) : history_(history), marks_(render::history_marks(history)) {}

  std::string render() {
    sections_.push_back({"answer", "Is the newest revision slower?", [this](Markup& markup) { answer(markup); }});
    const std::vector<Cells> scenarios = by_scenario(history_);
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      const std::string id = "s" + std::to_string(i + 1);
      sections_.push_back({id, scenarios[i].front()->label,
                           [this, cells = scenarios[i], id](Markup& markup) { scenario(markup, cells, id); }});
    }
    for (std::size_t i = 0; i < history_.separated.size(); ++i) {
      const report::SeparatedMachine& other = history_.separated[i];
      sections_.push_back({"m" + std::to_string(i + 1),
                           "Another machine: " + (other.machine.empty() ? "not known" : other.machine),
                           [&other](Markup& markup) { machine(markup, other); }});
    }
    sections_.push_back({"evidence", "Evidence", [this](Markup& markup) { evidence(markup); }});
    return page_of("gdbench history", sections_,
                    [this](Markup& markup) { add_paragraph(markup, render::history_reports_words(history_)); });
  }

 private:
  void answer(Markup& markup) {
    add_paragraph(markup, render::history_answer(history_), history_.is_slower() ? "warning" : "");
    if (marks_.empty()) {
      add_paragraph(markup, "No level changed beyond the margin of " + render::format_percent(history_.margin) + ".");
      return;
    }
    add_table(markup, render::history_changes(history_, marks_),
              "Where a cell became slower or faster, the numbers as in the pictures below", {.sortable = true});
  }

  void scenario(Markup& markup, const Cells& cells, const std::string& id) {
    add_history(markup, {.history = history_, .marks = marks_, .cells = cells, .id = id});
    Cells changed;
    Cells others;
    for (const HistoryCell* cell : cells) (is_marked(marks_, *cell) ? changed : others).push_back(cell);
    if (others.size() <= kMostUnchanged) {
      add_table(markup, render::history_cells(cells), "The cells and their levels", {.sortable = true});
      return;
    }
    if (!changed.empty()) add_table(markup, render::history_cells(changed), "Cells that changed", {.sortable = true});
    markup.element("details", {}, [&] {
      markup.element("summary", render::counted(others.size(), "cell") + " without a change");
      add_table(markup, render::history_cells(others), "Cells without a change", {.sortable = true});
    });
  }

  static void machine(Markup& markup, const report::SeparatedMachine& other) {
    add_paragraph(markup, "Times of another machine cannot be compared with those above: " + other.difference + ".");
    add_paragraph(markup, "Given alone, its reports are a history of their own: " + joined(other.files) + ".");
  }

  void evidence(Markup& markup) {
    add_paragraph(markup, render::history_method_words(history_));
    add_paragraph(markup, render::history_hidden_words(history_));
    add_list(markup, history_.notes);
    markup.element("details", {}, [&] {
      markup.element("summary", "All reports");
      add_table(markup, table_of_reports(history_), "The reports, by time", {.sortable = true});
    });
  }

  const History& history_;
  std::vector<render::HistoryMark> marks_;
  std::vector<Section> sections_;
};

}  // namespace

std::string history_page(const History& history) { return HistoryPage(history).render(); }

}  // namespace gdbench::page
