// Step times that were not measured, of more ranks than a report has: `gdbench predict`. A document of its own next to
// the reports, which hold the samples that it rests on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"

namespace gdbench::report {

// What an all-reduce is made of: messages that each rank sends one after the other.
struct Network {
  double latency_ns = 0;      // of a message
  double byte_ns = 0;         // to move a byte; where it was fitted to all-reduces of two ranks, to add it up, too
  double adding_byte_ns = 0;  // to add up a byte that came; 0: part of byte_ns, or not known
};

enum class AllReduce { none, doubling, halving, ring };
inline constexpr Named<AllReduce> kAllReduces[] = {{AllReduce::none, "none"},
                                                   {AllReduce::doubling, "doubling"},
                                                   {AllReduce::halving, "halving"},
                                                   {AllReduce::ring, "ring"}};
constexpr const auto& rows_of(AllReduce /*any*/) { return kAllReduces; }

// A measured time against the model's: of a step, or where nothing is computed of its all-reduce.
struct PredictedCell {
  std::string cell;
  double measured_ns = 0;
  double predicted_ns = 0;
  std::optional<double> left_out_ns{};  // predicted by a line fitted to the others; absent where they are too few

  double error() const { return predicted_ns / measured_ns - 1; }
};

// All-reduces of two ranks that compute nothing, by one choice of options.
struct FittedNetwork {
  std::string implementation;
  std::map<std::string, std::string> options;  // that differ from their defaults, without ranks
  Network network;
  std::vector<PredictedCell> cells;
};

struct PredictedStep {
  int ranks = 1;
  std::int64_t rows = 0;  // of the rank that has most
  double computing_ns = 0;
  double exchanging_ns = 0;
  double adding_ns = 0;  // of exchanging_ns, where the network tells it apart
  double step_ns = 0;    // computing and exchanging
  AllReduce all_reduce = AllReduce::none;
  double speed_up = 1;  // over one rank, predicted, too
};

// Of an implementation in a scenario.
struct Prediction {
  std::string scenario;  // its label
  std::string implementation;
  std::map<std::string, std::string> options;  // that differ from their defaults, without ranks
  int threads = 1;
  std::int64_t batch_rows = 0;
  std::int64_t gradient_bytes = 0;
  double fixed_ns = 0;  // computing a step of no rows, and what each row adds
  double row_ns = 0;
  Network network;  // that the steps rest on
  std::vector<PredictedStep> steps;
  int fastest = 1;  // ranks, among these and one
  std::vector<PredictedCell> cells;
};

struct Predictions {
  std::optional<Network> described;  // absent: as the ranks of the report exchange
  std::vector<FittedNetwork> fitted;
  std::vector<Prediction> predictions;
  std::vector<std::string> notes;  // what could not be predicted
};

OrderedJson to_json(const Predictions& predictions);

}  // namespace gdbench::report
