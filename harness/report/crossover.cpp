#include "harness/report/crossover.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "harness/report/fields.h"

namespace gdbench::report {

namespace {

Json encoded(const stats::Estimate& estimate) { return RecordWriter::encode(estimate); }

// JSON has no infinity.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json header(const char* axis, const std::string& scenario, const std::string& a, const std::string& b) {
  return {{"schema", "gdbench-crossover"},
          {"schema_version", {{"major", 2}, {"minor", 0}}},
          {"scenario", scenario},
          {"axis", axis},
          {"a", a},
          {"b", b}};
}

Json encoded(const CrossoverNeed& need) {
  Json encoded = {{"sizes", need.sizes}};
  if (need.launches > 0) {
    encoded["launches"] = need.launches;
    encoded["budget_seconds"] = need.budget_seconds;
  }
  if (need.margin > 0) encoded["margin"] = need.margin;
  return encoded;
}

}  // namespace

Json to_json(const Crossover& crossover) {
  Json document = header(crossover.axis.c_str(), crossover.scenario, crossover.a, crossover.b);
  const stats::Crossover& answer = crossover.answer;
  document["margin"] = crossover.margin;
  document["confidence"] = crossover.confidence;
  document["outcome"] = name_of(answer.outcome);
  document["complete"] = crossover.complete;
  if (crossover.need) document["need"] = encoded(*crossover.need);
  Json zones = Json::array();
  for (const stats::Zone& zone : answer.zones) {
    zones.push_back({{"verdict", stats::name_of(zone.verdict)}, {"first", zone.first}, {"last", zone.last}});
  }
  document["zones"] = std::move(zones);
  Json points = Json::array();
  for (const CrossoverPoint& point : crossover.points) {
    points.push_back({{"size", point.size},
                      {"a_step_ns", encoded(point.a_step_ns)},
                      {"b_step_ns", encoded(point.b_step_ns)},
                      {"comparison", Json(RecordWriter::encode(point.comparison))}});
  }
  document["points"] = std::move(points);
  return document;
}

Json to_json(const StepsCrossover& crossover) {
  Json document =
      header("steps", crossover.scenario, crossover.sides[0].implementation, crossover.sides[1].implementation);
  const stats::BreakEven& answer = crossover.answer;
  document["outcome"] = stats::name_of(answer.overtaking);
  document["faster_step"] = crossover.sides[crossover.faster].implementation;
  document["launches"] = answer.launches;
  document["margin"] = answer.margin.value_or(0);
  document["steps"] = finite_or_null(answer.steps);
  document["interval"] = {{"low", finite_or_null(answer.interval.low)}, {"high", finite_or_null(answer.interval.high)}};
  Json sides = Json::array();
  for (const StartCost& side : crossover.sides) {
    sides.push_back({{"implementation", side.implementation},
                     {"load_seconds", side.load_seconds},
                     {"prepare_seconds", side.prepare_seconds},
                     {"first_step_ns", side.first_step_ns},
                     {"step_ns", encoded(side.step_ns)}});
  }
  document["sides"] = std::move(sides);
  return document;
}

}  // namespace gdbench::report
