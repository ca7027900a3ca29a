#include <algorithm>
#include <cstdio>

#include "reports/render/render.h"
#include "reports/render/table.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

// How close a cell came: the tensor whose error is the largest share of its tolerance.
std::string closeness(const result::Verification& verification) {
  const result::TensorCheck* worst = nullptr;
  const auto share = [](const result::TensorCheck& tensor) {
    return tensor.tolerance > 0 ? tensor.error / tensor.tolerance : 0;
  };
  for (const result::TensorCheck& tensor : verification.tensors) {
    if (worst == nullptr || share(tensor) > share(*worst)) worst = &tensor;
  }
  if (worst == nullptr) return "not verified: does nothing on purpose";
  char text[160];
  std::snprintf(text, sizeof text, "%s off by %.1e of its norm, %.0f%% of the tolerance, after %lld step(s)%s",
                worst->name.c_str(), worst->relative, 100 * share(*worst), static_cast<long long>(verification.steps),
                verification.sampled ? " (sampled entries)" : "");
  return text;
}

std::string outcome(const result::Cell& cell) {
  if (cell.status.state != result::CellState::ok) return cell.status.reason;
  return closeness(cell.verification.value_or(result::Verification{}));
}

}  // namespace

std::string verification(const result::Report& report) {
  std::size_t name_width = 0;
  std::size_t state_width = 0;
  for (const result::Cell& cell : report.cells) {
    name_width = std::max(name_width, row_name(cell).size());
    state_width = std::max(state_width, std::string(result::name_of(cell.status.state)).size());
  }
  std::string text;
  for (const result::ScenarioRecord& scenario : report.scenarios) {
    text += scenario.label + "\n";
    for (const result::Cell& cell : report.cells) {
      if (cell.scenario != scenario.key) continue;
      std::string name = row_name(cell);
      std::string state = result::name_of(cell.status.state);
      name.resize(name_width, ' ');
      state.resize(state_width, ' ');
      text += "  " + name + "  " + state + "  " + outcome(cell) + "\n";
    }
  }
  return text + "\n" + counts_words(report) + "\n";
}

}  // namespace gdbench::render
