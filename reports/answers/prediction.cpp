#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

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

Columns steps_table(const Prediction& prediction) {
  Columns table = {right("ranks"),
                   right("rows each", 1),
                   right("predicted step"),
                   right("predicted speed-up"),
                   right("predicted exchange", 2),
                   left("all-reduce", 3),
                   left("remark")};
  for (const PredictedStep& step : prediction.steps) {
    std::string remark = step.ranks == prediction.fastest ? "fastest" : "";
    if (step.ranks > prediction.batch_rows) {
      join(remark, cat(step.ranks - prediction.batch_rows, " of them without a row"));
    }
    add_row(table, {std::to_string(step.ranks), std::to_string(step.rows), format_duration_ns(step.step_ns),
                    format_factor(step.speed_up), format_percent(step.exchanging_ns / step.step_ns),
                    name_of(step.all_reduce), remark});
  }
  return table;
}

std::string name_of_prediction(const Prediction& prediction) {
  return cat(prediction.scenario, " ", prediction.implementation, settings_words(prediction.options),
             prediction.threads == 1 ? "" : cat(", ", prediction.threads, " threads each"));
}

// "linreg-3x2 hand/naive+mpi: predicted to be fastest with 64 ranks, 1.8 us a step, 3.2x as fast as one."
std::string fastest_words(const Prediction& prediction) {
  const std::string begin = name_of_prediction(prediction) + ": predicted to be fastest with ";
  const auto step = std::ranges::find(prediction.steps, prediction.fastest, &PredictedStep::ranks);
  if (prediction.fastest == 1 || step == prediction.steps.end())
    return begin + counted(prediction.fastest, "rank") + ".";
  return cat(begin, counted(prediction.fastest, "rank"), ", ", format_duration_ns(step->step_ns), " a step, ",
             format_factor(step->speed_up), " as fast as one.");
}

Figure steps_figure(const Prediction& prediction) {
  document::Series step{.name = "step", .line = document::Line::thin, .marked = true};
  document::Series exchange{
      .name = "exchange", .look = document::look_of(1), .line = document::Line::thin, .marked = true};
  document::Axis ranks{.title = "ranks", .text = &format_number, .logarithmic = true};
  for (const PredictedStep& one : prediction.steps) {
    step.points.push_back({one.ranks * 1.0, one.step_ns});
    if (one.exchanging_ns > 0) exchange.points.push_back({one.ranks * 1.0, one.exchanging_ns});
    ranks.ticks.emplace_back(one.ranks, std::to_string(one.ranks));
  }
  return {.title = "Predicted time over ranks",
          .sentence = "A step, and what it takes to exchange gradients. Nothing here was measured.",
          .chart = document::Plane{.across = std::move(ranks),
                                   .up = {.title = "predicted time", .text = &format_duration_ns, .logarithmic = true},
                                   .series = {std::move(step), std::move(exchange)}}};
}

Blocks prediction_blocks(const Prediction& prediction, bool described) {
  Blocks blocks;
  blocks.paragraph(cat(counted(prediction.batch_rows, "row"), " and ",
                       format_bytes(static_cast<double>(prediction.gradient_bytes)), " of gradients; computing takes ",
                       format_duration_ns(prediction.fixed_ns), " and ", format_duration_ns(prediction.row_ns),
                       " a row; exchanging takes ", network_words(prediction.network, described), "."));
  if (!prediction.steps.empty()) blocks.figure(steps_figure(prediction));
  return blocks.table("", steps_table(prediction));
}

void add_cells(Columns& table, const std::vector<PredictedCell>& cells, const std::string& what) {
  for (const PredictedCell& cell : cells) {
    add_row(table, {cell.cell, what, format_duration_ns(cell.measured_ns), format_duration_ns(cell.predicted_ns),
                    signed_percent(error_of(cell)), cell.left_out_ns ? signed_percent(left_out_error_of(cell)) : "-"});
  }
}

Columns checked_table(const Predictions& predictions) {
  Columns table = {left("cell"),       left("time of"), right("measured"),
                   right("predicted"), right("error"),  right("left out")};
  for (const report::FittedNetwork& fitted : predictions.fitted) add_cells(table, fitted.cells, "all-reduce");
  for (const Prediction& prediction : predictions.predictions) add_cells(table, prediction.cells, "step");
  return table;
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

Document document_of(const Predictions& predictions) {
  const bool described = predictions.described.has_value();
  Document document{.title = cat("gdbench predict: steps of more ranks, ",
                                 described ? "each on a machine of its own in the network described"
                                           : "which exchange as those of the report do"),
                    .answer = {{"Predicted, not measured."}}};
  for (const Prediction& prediction : predictions.predictions) {
    document.answer.push_back({fastest_words(prediction)});
    document.section(name_of_prediction(prediction), prediction_blocks(prediction, described));
  }
  document.answer.push_back({errors_words(predictions)});
  document.section("Measured and predicted",
                   Blocks()
                       .paragraph("Cells of the report, as its ranks exchange.")
                       .table("", checked_table(predictions))
                       .paragraph("left out: predicted by the other cells alone; \"-\" where they are too few. A line "
                                  "through two cells has no error in computing of its own."));
  std::vector<std::string> assumptions(kAssumptions.begin(), kAssumptions.end());
  const auto adds_nothing = [](const Prediction& one) { return one.network.adding_byte_ns == 0; };
  if (described && std::ranges::all_of(predictions.predictions, adds_nothing)) {
    assumptions.emplace_back("Adding up takes no time: the report has no ceilings.");
  }
  document.section("What the model assumes", Blocks().list(assumptions));
  document.section("Left out", Blocks().list(predictions.notes));
  return document;
}

}  // namespace gdbench::answers
