#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"
#include "reports/answers/rows.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

using Cells = std::vector<const report::Cell*>;

double share_of_tolerance(const report::TensorCheck& tensor) {
  return tensor.tolerance > 0 ? tensor.error / tensor.tolerance : 0;
}

// The tensor whose error is the largest share of its tolerance; null where none was compared.
const report::TensorCheck* worst_tensor(const report::Verification& verification) {
  const auto& tensors = verification.tensors;
  const auto worst = std::ranges::max_element(
      tensors, [](const auto& a, const auto& b) { return share_of_tolerance(a) < share_of_tolerance(b); });
  return worst == tensors.end() ? nullptr : &*worst;
}

std::string closeness(const report::Verification& verification) {
  const report::TensorCheck* worst = worst_tensor(verification);
  const auto steps = static_cast<long long>(verification.steps);
  if (worst == nullptr && steps > 0) {
    return formatted("checked by its loss alone, %.4g to %.4g in %s: its order is its own", verification.initial_loss,
                     verification.final_loss, counted(steps, "step").c_str());
  }
  if (worst == nullptr) return "not verified: does nothing on purpose";
  return formatted("%s off by %.1e of its norm, %.0f%% of the tolerance, after %s%s%s", worst->name.c_str(),
                   worst->relative, 100 * share_of_tolerance(*worst), counted(steps, "step").c_str(),
                   verification.sampled ? " (of one step, in every element)" : "",
                   skipped_words(verification.skipped_steps).c_str());
}

std::string outcome(const report::Cell& cell) {
  if (cell.status.state != report::CellState::ok) return cell.status.reason;
  return closeness(cell.verification.value_or(report::Verification{}));
}

// "12 ok, 2 unsupported".
std::string states_words(const Cells& cells) {
  std::map<report::CellState, int> counts;
  for (const report::Cell* cell : cells) ++counts[cell->status.state];
  std::string text;
  for (const auto& [state, count] : counts) join(text, std::to_string(count) + " " + report::name_of(state));
  return text;
}

// Of the cells, "hand/eigen, w1 at 9%"; "-" where none was compared.
std::string closest_words(const Cells& cells) {
  std::string text = "-";
  double largest = -1;
  for (const report::Cell* cell : cells) {
    const report::TensorCheck* worst = cell->verification ? worst_tensor(*cell->verification) : nullptr;
    if (worst == nullptr || share_of_tolerance(*worst) <= largest) continue;
    largest = share_of_tolerance(*worst);
    text = cat(row_name(*cell), ", ", worst->name, formatted(" at %.0f%%", 100 * largest));
  }
  return text;
}

bool is_news(const report::Cell& cell) {
  return cell.status.state != report::CellState::ok && cell.status.state != report::CellState::unsupported;
}

Cells cells_of(const report::Report& report, const report::ScenarioRecord& scenario) {
  Cells cells;
  for (const report::Cell& cell : report.cells) {
    if (cell.scenario == scenario.key) cells.push_back(&cell);
  }
  return cells;
}

Columns cells_table(const Cells& cells) {
  Columns table = {left("implementation"), left("state"), left("how close")};
  for (const report::Cell* cell : cells) {
    add_row(table, {row_name(*cell), name_of(cell->status.state), outcome(*cell)});
    table[1].styles.push_back(style_of_state(cell->status.state));
  }
  return table;
}

void add_brief(const report::Report& report, Document& document) {
  Columns table = {left("scenario"), left("cells"), left("closest to its tolerance")};
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    const Cells cells = cells_of(report, scenario);
    add_row(table, {scenario.label, states_words(cells), closest_words(cells)});
  }
  document.section("", Blocks().table("", std::move(table)));
}

}  // namespace

Document verification(const report::Report& report, bool brief) {
  Document document{.title = "gdbench verify: every cell compared with the reference",
                    .answer = {{counts_words(report)}}};
  if (brief) add_brief(report, document);
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    Cells cells = cells_of(report, scenario);
    if (brief) std::erase_if(cells, [](const report::Cell* cell) { return !is_news(*cell); });
    document.section(scenario.label, Blocks().table("", cells_table(cells)));
  }
  return document;
}

}  // namespace gdbench::answers
