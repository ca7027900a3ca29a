#include "harness/analysis/prediction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "harness/abi/catalogue.h"
#include "harness/analysis/pairing.h"
#include "harness/base/text.h"
#include "harness/stats/linear_fit.h"

namespace gdbench::analysis {

namespace {

using Options = std::map<std::string, std::string>;

// A cell with what the model sees of it: times of a step, each the median over launches of the least one, as a step's
// time is everywhere. Whatever else the machine does makes ranks wait for each other.
struct Seen {
  const report::Cell* cell = nullptr;
  const report::ScenarioRecord* scenario = nullptr;
  double step_ns = 0;
  double exchange_ns = 0;
  double computing_ns = 0;  // the step without its exchange

  int ranks() const { return *cell->ranks; }
  bool computes() const { return cell->verification.has_value(); }
  std::int64_t bytes() const {
    const auto dtype = scenario->resolved.dtype.value_or(catalogue::Dtype::f32);
    return scenario->parameters * static_cast<std::int64_t>(catalogue::size_of(dtype));
  }
};

// A straight line y = base + each x, of positive y.
struct Line {
  double base = 0;
  double each = 0;

  double at(double x) const { return base + each * x; }
};

constexpr stats::Columns kLine = {true, true, false};

stats::FitPoint point_of(double x, double y) { return {.x = {1, x, 0}, .y = y}; }

// Nothing where the points have one x.
std::optional<Line> line_through(const std::vector<stats::FitPoint>& points) {
  if (!stats::separable(points, kLine)) return std::nullopt;
  const std::optional<stats::LinearFit> fit = stats::fit(points, kLine);
  if (!fit) return std::nullopt;
  return Line{fit->coefficients[0], fit->coefficients[1]};
}

std::optional<Line> line_without(std::vector<stats::FitPoint> points, std::size_t left_out) {
  points.erase(points.begin() + static_cast<std::ptrdiff_t>(left_out));
  return line_through(points);
}

Options without_ranks(Options options) {
  options.erase(catalogue::kRanksOption);
  return options;
}

// Whether a cell exchanges as the rows that compute nothing do: each option that both have is the same.
bool agree(const report::Cell& floor, const report::Cell& cell) {
  const auto same = [&](const auto& entry) {
    const std::string* other = option_of(cell, entry.first);
    return other == nullptr || *other == entry.second;
  };
  return std::ranges::all_of(without_ranks(floor.options), same) &&
         (!floor.default_options || std::ranges::all_of(without_ranks(*floor.default_options), same));
}

std::vector<Seen> seen_in(std::span<const report::Report> reports) {
  std::vector<Seen> all;
  for (const report::Report& report : reports) {
    for (const report::Cell& cell : report.cells) {
      const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
      if (cell.arm != report::kNewArm || !cell.ranks || !cell.summary || scenario == nullptr) continue;
      std::vector<stats::Observation> exchanges;
      std::vector<stats::Observation> rest;
      for (const report::Sample& sample : cell.samples) {
        if (sample.cold || !sample.exchange_ns) continue;
        exchanges.push_back({sample.launch, *sample.exchange_ns});
        rest.push_back({sample.launch, sample.real_ns - *sample.exchange_ns});
      }
      if (exchanges.empty()) continue;
      all.push_back({&cell, scenario, cell.summary->step_ns.value, stats::typical_time(exchanges).value,
                     stats::typical_time(rest).value});
    }
  }
  return all;
}

// The scenario but for what says how many rows a batch has.
std::string problem_of(const report::ScenarioRecord& scenario) {
  Json whole = Json::parse(scenario.resolved.text);
  for (const char* key : {"name", "purpose", "favours", "steps"}) whole.erase(key);
  if (whole.contains("data")) whole["data"].erase("rows");
  if (whole.contains("batch") && whole["batch"].is_object()) {
    whole["batch"].erase("rows");
  } else {
    whole["batch"] = Json::object();
  }
  return whole.dump();
}

std::int64_t rows_of_rank(const Seen& seen) { return (seen.scenario->batch_rows + seen.ranks() - 1) / seen.ranks(); }

report::Network network_of(const Line& line) { return {.latency_ns = line.base, .byte_ns = line.each}; }

// Of rows that compute nothing and have the same options.
std::optional<report::FittedNetwork> fitted_network(const std::vector<Seen>& floors) {
  std::vector<stats::FitPoint> points;
  std::vector<std::size_t> number;  // of each cell's point; of none where it has other ranks than two
  for (const Seen& seen : floors) {
    number.push_back(points.size());
    if (seen.ranks() == 2) points.push_back(point_of(static_cast<double>(seen.bytes()), seen.exchange_ns));
  }
  const std::optional<Line> line = line_through(points);
  if (!line) return std::nullopt;
  const report::Cell& first = *floors.front().cell;
  report::FittedNetwork fitted{first.implementation, without_ranks(first.options), network_of(*line), {}};
  for (std::size_t i = 0; i < floors.size(); ++i) {
    const Seen& seen = floors[i];
    if (seen.ranks() == 1) continue;
    report::PredictedCell checked{seen.cell->id, seen.exchange_ns,
                                  all_reduce_time(fitted.network, seen.ranks(), seen.bytes()).time_ns()};
    const std::optional<Line> others = seen.ranks() == 2 ? line_without(points, number[i]) : line;
    if (others) checked.left_out_ns = all_reduce_time(network_of(*others), seen.ranks(), seen.bytes()).time_ns();
    fitted.cells.push_back(std::move(checked));
  }
  return fitted;
}

// The described network with what it takes to add up so many bytes: two reads and a write, by one thread, in the first
// level of caches that holds both operands. It takes no time where nobody measured ceilings.
report::Network described_for(std::int64_t bytes, report::Network network, std::span<const report::Report> reports) {
  for (const report::Report& report : reports) {
    const report::VectorCeilings* best = report.ceilings ? report.ceilings->best_of(1) : nullptr;
    if (best == nullptr || best->levels.empty()) continue;
    const auto holds = [&](const report::LevelCeiling& level) { return level.capacity_bytes >= 2 * bytes; };
    auto level = std::ranges::find_if(best->levels, holds);
    if (level == best->levels.end()) level = std::prev(level);
    if (level->update_gb_per_second > 0) network.adding_byte_ns = 3 / level->update_gb_per_second;
    break;
  }
  return network;
}

report::PredictedStep step_of(const report::Prediction& prediction, int ranks) {
  report::PredictedStep step;
  step.ranks = ranks;
  step.rows = (prediction.batch_rows + ranks - 1) / ranks;
  step.computing_ns = prediction.fixed_ns + prediction.row_ns * static_cast<double>(step.rows);
  const AllReduceTime exchange = all_reduce_time(prediction.network, ranks, prediction.gradient_bytes);
  step.exchanging_ns = exchange.time_ns();
  step.adding_ns = exchange.adding_ns;
  step.all_reduce = exchange.algorithm;
  step.step_ns = step.computing_ns + step.exchanging_ns;
  return step;
}

// One implementation with its options and threads, in batches of one problem.
using Family = std::vector<Seen>;

std::vector<stats::FitPoint> points_of(const Family& family) {
  std::vector<stats::FitPoint> points;
  for (const Seen& seen : family) {
    points.push_back(point_of(static_cast<double>(rows_of_rank(seen)), seen.computing_ns));
  }
  return points;
}

// The cells of `scenario` beside what the model has for them, with the network that was fitted.
std::vector<report::PredictedCell> checked_cells(const Family& family, const report::ScenarioRecord& scenario,
                                                 const Line& line, const report::Network& fitted) {
  const std::vector<stats::FitPoint> points = points_of(family);
  std::vector<report::PredictedCell> cells;
  for (std::size_t i = 0; i < family.size(); ++i) {
    const Seen& seen = family[i];
    if (seen.scenario->key != scenario.key) continue;
    const double exchange_ns = all_reduce_time(fitted, seen.ranks(), seen.bytes()).time_ns();
    const auto rows = static_cast<double>(rows_of_rank(seen));
    report::PredictedCell checked{seen.cell->id, seen.step_ns, line.at(rows) + exchange_ns};
    if (const std::optional<Line> others = line_without(points, i))
      checked.left_out_ns = others->at(rows) + exchange_ns;
    cells.push_back(std::move(checked));
  }
  return cells;
}

report::Prediction prediction_of(const Family& family, const Seen& seen, const Line& line,
                                 const report::Network& fitted, std::span<const report::Report> reports,
                                 const PredictionOptions& options) {
  report::Prediction prediction;
  prediction.scenario = seen.scenario->label;
  prediction.implementation = seen.cell->implementation;
  prediction.options = without_ranks(seen.cell->options);
  prediction.threads = seen.cell->threads;
  prediction.batch_rows = seen.scenario->batch_rows;
  prediction.gradient_bytes = seen.bytes();
  prediction.fixed_ns = line.base;
  prediction.row_ns = line.each;
  prediction.network = options.described ? described_for(seen.bytes(), *options.described, reports) : fitted;
  const double single_ns = step_of(prediction, 1).step_ns;
  double least_ns = single_ns;
  for (const int ranks : options.ranks) {
    report::PredictedStep& step = prediction.steps.emplace_back(step_of(prediction, ranks));
    step.speed_up = single_ns / step.step_ns;
    if (step.step_ns >= least_ns) continue;
    least_ns = step.step_ns;
    prediction.fastest = ranks;
  }
  prediction.cells = checked_cells(family, *seen.scenario, line, fitted);
  return prediction;
}

}  // namespace

AllReduceTime all_reduce_time(const report::Network& network, int ranks, std::int64_t bytes) {
  if (ranks < 2) return {};
  const auto count = static_cast<unsigned>(ranks);
  const unsigned power = std::bit_floor(count);
  const double stages = std::bit_width(power) - 1;
  const double latency_ns = network.latency_ns;
  const double move_ns = static_cast<double>(bytes) * network.byte_ns;
  const double add_ns = static_cast<double>(bytes) * network.adding_byte_ns;
  const double outside = power == count ? 0 : 1;  // there are ranks beyond the power
  const double outside_ns = outside * 2 * (latency_ns + move_ns);
  const auto share = [](double of) { return (of - 1) / of; };
  const AllReduceTime times[] = {
      {report::AllReduce::doubling, stages * (latency_ns + move_ns) + outside_ns, (stages + outside) * add_ns},
      {report::AllReduce::halving, 2 * (stages * latency_ns + share(power) * move_ns) + outside_ns,
       (share(power) + outside) * add_ns},
      {report::AllReduce::ring, 2 * ((ranks - 1) * latency_ns + share(ranks) * move_ns), share(ranks) * add_ns}};
  return *std::ranges::min_element(times, {}, &AllReduceTime::time_ns);
}

Result<report::Predictions> predict(std::span<const report::Report> reports, const PredictionOptions& options) {
  std::map<std::pair<std::string, Options>, std::vector<Seen>> floors;
  std::map<std::tuple<std::string, std::string, Options, int>, Family> families;
  for (const Seen& seen : seen_in(reports)) {
    Options own = without_ranks(seen.cell->options);
    if (!seen.computes()) {
      floors[{seen.cell->implementation, std::move(own)}].push_back(seen);
    } else if (seen.computing_ns > 0) {
      families[{problem_of(*seen.scenario), seen.cell->implementation, std::move(own), seen.cell->threads}].push_back(
          seen);
    }
  }

  report::Predictions found;
  found.described = options.described;
  std::vector<std::pair<const report::Cell*, report::Network>> networks;
  for (const auto& [key, group] : floors) {
    std::optional<report::FittedNetwork> fitted = fitted_network(group);
    if (!fitted) continue;
    networks.emplace_back(group.front().cell, fitted->network);
    found.fitted.push_back(std::move(*fitted));
  }
  if (networks.empty()) {
    return usage_error(cat("/cells: found ",
                           floors.empty() ? "no row that computes" : "one size of gradients of rows that compute",
                           " nothing with ranks=2, expected two sizes of gradients or more"));
  }
  for (const auto& [key, family] : families) {
    const Seen& first = family.front();
    const std::optional<Line> line = line_through(points_of(family));
    const auto network =
        std::ranges::find_if(networks, [&](const auto& entry) { return agree(*entry.first, *first.cell); });
    if (!line || network == networks.end()) {
      found.notes.push_back(cat(first.cell->id, ": found ",
                                line ? "no row with its options that computes nothing" : "one number of rows of a rank",
                                ", expected ", line ? "some" : "cells of two, such as ranks=1 and ranks=2"));
      continue;
    }
    std::vector<std::string> labels;
    for (const Seen& seen : family) {
      if (std::ranges::find(labels, seen.scenario->key) != labels.end()) continue;
      labels.push_back(seen.scenario->key);
      found.predictions.push_back(prediction_of(family, seen, *line, network->second, reports, options));
    }
  }
  if (found.predictions.empty()) {
    return usage_error(found.notes.empty()
                           ? "/cells: found no row with ranks that computes, expected some with ranks=1 and ranks=2"
                           : "/cells: " + found.notes.front());
  }
  return found;
}

}  // namespace gdbench::analysis
