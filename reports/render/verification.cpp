#include "reports/render/verification.h"

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/rows.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

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
    return formatted("checked by its loss alone, %.4g to %.4g in %lld steps: its order is its own",
                     verification.initial_loss, verification.final_loss, steps);
  }
  if (worst == nullptr) return "not verified: does nothing on purpose";
  return formatted("%s off by %.1e of its norm, %.0f%% of the tolerance, after %lld step(s)%s%s", worst->name.c_str(),
                   worst->relative, 100 * share_of_tolerance(*worst), steps,
                   verification.sampled ? " (of a sample: one step)" : "",
                   skipped_words(verification.skipped_steps).c_str());
}

std::string outcome(const report::Cell& cell) {
  if (cell.status.state != report::CellState::ok) return cell.status.reason;
  return closeness(cell.verification.value_or(report::Verification{}));
}

// "12 ok, 2 unsupported; closest to its tolerance: hand/eigen, w1 at 9%".
std::string brief_outcome(const std::vector<const report::Cell*>& cells) {
  std::map<report::CellState, int> counts;
  const report::Cell* closest = nullptr;
  double largest = -1;
  for (const report::Cell* cell : cells) {
    ++counts[cell->status.state];
    const report::TensorCheck* worst = cell->verification ? worst_tensor(*cell->verification) : nullptr;
    if (worst == nullptr || share_of_tolerance(*worst) <= largest) continue;
    largest = share_of_tolerance(*worst);
    closest = cell;
  }
  std::string text;
  for (const auto& [state, count] : counts) join(text, std::to_string(count) + " " + report::name_of(state));
  if (closest == nullptr) return text;
  return cat(text, "; closest to its tolerance: ", row_name(*closest), ", ", worst_tensor(*closest->verification)->name,
             formatted(" at %.0f%%", 100 * largest));
}

bool is_news(const report::Cell& cell) {
  return cell.status.state != report::CellState::ok && cell.status.state != report::CellState::unsupported;
}

std::vector<const report::Cell*> cells_of(const report::Report& report, const report::ScenarioRecord& scenario) {
  std::vector<const report::Cell*> cells;
  for (const report::Cell& cell : report.cells) {
    if (cell.scenario == scenario.key) cells.push_back(&cell);
  }
  return cells;
}

}  // namespace

std::string brief_verification(const report::Report& report) {
  std::size_t width = 0;
  for (const report::ScenarioRecord& scenario : report.scenarios) width = std::max(width, scenario.label.size());
  std::string text;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    const std::vector<const report::Cell*> cells = cells_of(report, scenario);
    text += padded(scenario.label, width, false) + "  " + brief_outcome(cells) + "\n";
    for (const report::Cell* cell : cells) {
      if (!is_news(*cell)) continue;
      text += cat("  ", row_name(*cell), "  ", name_of(cell->status.state), "  ", outcome(*cell), "\n");
    }
  }
  return text + "\n" + counts_words(report) + "\n";
}

std::string verification(const report::Report& report) {
  std::size_t names = 0;
  std::size_t states = 0;
  for (const report::Cell& cell : report.cells) {
    names = std::max(names, row_name(cell).size());
    states = std::max(states, std::string_view(name_of(cell.status.state)).size());
  }
  std::string text;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    text += scenario.label + "\n";
    for (const report::Cell* cell : cells_of(report, scenario)) {
      text += cat("  ", padded(row_name(*cell), names, false), "  ", padded(name_of(cell->status.state), states, false),
                  "  ", outcome(*cell), "\n");
    }
  }
  return text + "\n" + counts_words(report) + "\n";
}

}  // namespace gdbench::render
