#include <algorithm>
#include <cstdio>
#include <map>

#include "reports/render/render.h"
#include "reports/render/table.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

double share_of_tolerance(const report::TensorCheck& tensor) {
  return tensor.tolerance > 0 ? tensor.error / tensor.tolerance : 0;
}

// The tensor whose error is the largest share of its tolerance; null where none was compared.
const report::TensorCheck* worst_tensor(const report::Verification& verification) {
  const auto& tensors = verification.tensors;
  const auto worst = std::max_element(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return share_of_tolerance(a) < share_of_tolerance(b);
  });
  return worst == tensors.end() ? nullptr : &*worst;
}

std::string closeness(const report::Verification& verification) {
  const report::TensorCheck* worst = worst_tensor(verification);
  char text[160];
  if (worst == nullptr && verification.steps > 0) {
    std::snprintf(text, sizeof text, "checked by its loss alone, %.4g to %.4g in %lld steps: its order is its own",
                  verification.initial_loss, verification.final_loss, static_cast<long long>(verification.steps));
    return text;
  }
  if (worst == nullptr) return "not verified: does nothing on purpose";
  std::snprintf(text, sizeof text, "%s off by %.1e of its norm, %.0f%% of the tolerance, after %lld step(s)%s",
                worst->name.c_str(), worst->relative, 100 * share_of_tolerance(*worst),
                static_cast<long long>(verification.steps), verification.sampled ? " (of a sample: one step)" : "");
  return text;
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
  char share[40];
  std::snprintf(share, sizeof share, "%.0f%%", 100 * largest);
  return text + "; closest to its tolerance: " + row_name(*closest) + ", " +
         worst_tensor(*closest->verification)->name + " at " + share;
}

bool is_news(const report::Cell& cell) {
  return cell.status.state != report::CellState::ok && cell.status.state != report::CellState::unsupported;
}

}  // namespace

std::string brief_verification(const report::Report& report) {
  std::size_t width = 0;
  for (const report::ScenarioRecord& scenario : report.scenarios) width = std::max(width, scenario.label.size());
  std::string text;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    std::vector<const report::Cell*> cells;
    for (const report::Cell& cell : report.cells) {
      if (cell.scenario == scenario.key) cells.push_back(&cell);
    }
    std::string label = scenario.label;
    label.resize(width, ' ');
    text += label + "  " + brief_outcome(cells) + "\n";
    for (const report::Cell* cell : cells) {
      if (is_news(*cell))
        text += "  " + row_name(*cell) + "  " + report::name_of(cell->status.state) + "  " + outcome(*cell) + "\n";
    }
  }
  return text + "\n" + counts_words(report) + "\n";
}

std::string verification(const report::Report& report) {
  std::size_t name_width = 0;
  std::size_t state_width = 0;
  for (const report::Cell& cell : report.cells) {
    name_width = std::max(name_width, row_name(cell).size());
    state_width = std::max(state_width, std::string(report::name_of(cell.status.state)).size());
  }
  std::string text;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    text += scenario.label + "\n";
    for (const report::Cell& cell : report.cells) {
      if (cell.scenario != scenario.key) continue;
      std::string name = row_name(cell);
      std::string state = report::name_of(cell.status.state);
      name.resize(name_width, ' ');
      state.resize(state_width, ' ');
      text += "  " + name + "  " + state + "  " + outcome(cell) + "\n";
    }
  }
  return text + "\n" + counts_words(report) + "\n";
}

}  // namespace gdbench::render
