#include "reports/render/prediction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/table.h"

namespace gdbench::render {

namespace {

using report::PredictedCell;
using report::PredictedStep;
using report::Prediction;
using report::Predictions;

constexpr std::array kAssumptions = {
    "Nothing is computed while gradients are exchanged. Messages do not disturb each other, whatever wires they share.",
    "All ranks are equally fast and begin to exchange at the same moment. The rank with most rows counts.",
    "A rank computes as one that was measured does: time is a straight line over its rows, also below the fewest "
    "that were measured, and what caches hold of its parameters and rows does not change.",
    "The all-reduce is the fastest of recursive doubling, halving and doubling, and a ring."};

std::string network_words(const report::Network& network, bool described) {
  const std::string adding = network.adding_byte_ns > 0
                                 ? cat(", and ", format_duration_ns(network.adding_byte_ns * 1e6), " to add up a MB")
                                 : "";
  return cat(format_duration_ns(network.latency_ns), " a message, ", format_duration_ns(network.byte_ns * 1e6), " a MB",
             adding, described ? "" : ", added up");
}

std::string settings_words(const std::map<std::string, std::string>& options) {
  std::string words;
  for (const auto& [key, value] : options) words += cat(" ", key, "=", value);
  return words;
}

std::string signed_percent(double error) {
  if (std::abs(error) < 0.5e-4) return "0%";
  return (error < 0 ? "-" : "+") + format_percent(std::abs(error));
}

double error_of(const PredictedCell& cell) { return cell.error(); }
double left_out_error_of(const PredictedCell& cell) { return *cell.left_out_ns / cell.measured_ns - 1; }

// The error that is furthest from 0; "-" for none.
template <class ErrorOf>
std::string worst_words(const std::vector<PredictedCell>& cells, const ErrorOf& error, bool left_out) {
  double worst = 0;
  bool found = false;
  for (const PredictedCell& cell : cells) {
    if (left_out && !cell.left_out_ns) continue;
    found = true;
    if (std::abs(error(cell)) > std::abs(worst)) worst = error(cell);
  }
  return found ? signed_percent(worst) : "-";
}

std::string steps_table(const Prediction& prediction) {
  TextTable table = {{.title = "ranks", .right_aligned = true, .texts = {}},
                     {.title = "rows each", .right_aligned = true, .texts = {}},
                     {.title = "predicted step", .right_aligned = true, .texts = {}},
                     {.title = "predicted speed-up", .right_aligned = true, .texts = {}},
                     {.title = "predicted exchange", .right_aligned = true, .texts = {}},
                     {.title = "all-reduce", .texts = {}},
                     {.title = "remark", .texts = {}}};
  for (const PredictedStep& step : prediction.steps) {
    std::string remark = step.ranks == prediction.fastest ? "fastest" : "";
    if (step.ranks > prediction.batch_rows) {
      join(remark, cat(step.ranks - prediction.batch_rows, " of them have no row"));
    }
    add_row(table, {std::to_string(step.ranks), std::to_string(step.rows), format_duration_ns(step.step_ns),
                    format_factor(step.speed_up), format_percent(step.exchanging_ns / step.step_ns),
                    name_of(step.all_reduce), remark});
  }
  return plain_table(table);
}

std::string prediction_text(const Prediction& prediction, bool described) {
  const std::string threads = prediction.threads == 1 ? "" : cat(", ", prediction.threads, " threads each");
  std::string text =
      cat(prediction.scenario, " ", prediction.implementation, settings_words(prediction.options), threads,
          ": predicted steps\n  ", counted(prediction.batch_rows, "row"), " and ",
          format_bytes(static_cast<double>(prediction.gradient_bytes)), " of gradients; computing takes ",
          format_duration_ns(prediction.fixed_ns), " and ", format_duration_ns(prediction.row_ns),
          " a row; exchanging takes ", network_words(prediction.network, described), "\n", steps_table(prediction));
  if (prediction.fastest == 1) text += "  One rank is predicted to be the fastest.\n";
  return text + "\n";
}

void add_cells(TextTable& table, const std::vector<PredictedCell>& cells, const std::string& what) {
  for (const PredictedCell& cell : cells) {
    add_row(table, {cell.cell, what, format_duration_ns(cell.measured_ns), format_duration_ns(cell.predicted_ns),
                    signed_percent(error_of(cell)), cell.left_out_ns ? signed_percent(left_out_error_of(cell)) : "-"});
  }
}

std::string checked_table(const Predictions& predictions) {
  TextTable table = {{.title = "cell", .texts = {}},
                     {.title = "time of", .texts = {}},
                     {.title = "measured", .right_aligned = true, .texts = {}},
                     {.title = "predicted", .right_aligned = true, .texts = {}},
                     {.title = "error", .right_aligned = true, .texts = {}},
                     {.title = "left out", .right_aligned = true, .texts = {}}};
  for (const report::FittedNetwork& fitted : predictions.fitted) add_cells(table, fitted.cells, "all-reduce");
  for (const Prediction& prediction : predictions.predictions) add_cells(table, prediction.cells, "step");
  return plain_table(table);
}

std::string worst_line(const std::string& what, const std::vector<PredictedCell>& cells) {
  return cat(what, ": ", worst_words(cells, error_of, false), ", left out ",
             worst_words(cells, left_out_error_of, true), ", of ", counted(cells.size(), "cell"));
}

std::string errors_words(const Predictions& predictions) {
  std::vector<PredictedCell> exchanges;
  std::vector<PredictedCell> steps;
  for (const report::FittedNetwork& fitted : predictions.fitted) {
    exchanges.insert(exchanges.end(), fitted.cells.begin(), fitted.cells.end());
  }
  for (const Prediction& prediction : predictions.predictions) {
    steps.insert(steps.end(), prediction.cells.begin(), prediction.cells.end());
  }
  return cat("Worst error ", worst_line("of all-reduces", exchanges), "; ", worst_line("of steps", steps), ".");
}

}  // namespace

std::string predictions_text(const Predictions& predictions, int width) {
  const bool described = predictions.described.has_value();
  std::string text = cat(
      "Predicted, not measured: steps of more ranks, ",
      described ? "each on a machine of its own in the network described" : "which exchange as those of the report do",
      "\n\n");
  for (const Prediction& prediction : predictions.predictions) text += prediction_text(prediction, described);
  text += "Measured, and predicted as the ranks of the report exchange\n" + checked_table(predictions);
  std::vector<std::string> lines = {
      errors_words(predictions),
      "left out: predicted by the cells beside this one alone; \"-\" where they are too few. A line through two cells "
      "has no error in computing of its own."};
  lines.insert(lines.end(), kAssumptions.begin(), kAssumptions.end());
  lines.emplace_back(described &&
                             std::ranges::all_of(predictions.predictions,
                                                 [](const Prediction& one) { return one.network.adding_byte_ns == 0; })
                         ? "Adding up takes no time: the report has no ceilings."
                         : "");
  text += "\n";
  for (const std::string& line : lines) {
    if (!line.empty()) text += wrapped(line + "\n", width);
  }
  for (const std::string& note : predictions.notes) text += wrapped("Note: left out " + note + ".\n", width);
  return text;
}

}  // namespace gdbench::render
