// Steps of a training by more ranks than were measured, from those of a few.
//
//   step(n) = a + b ceil(R / n) + all_reduce(n, m)     R rows of a batch, m bytes of gradients, n ranks
//
// a and b come from cells of one implementation with one, two ... ranks or other batches: their steps without what
// their ranks spent exchanging, by least squares of the relative residuals (stats::fit). Latency and time of a byte
// come likewise from two ranks that compute nothing and exchange gradients of several sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/prediction.h"
#include "harness/report/report.h"

namespace gdbench::analysis {

struct PredictionOptions {
  std::vector<int> ranks;
  std::optional<report::Network> described;  // in place of the fitted one; adding_byte_ns comes from the ceilings
};

// Of `bytes` among so many ranks, in nanoseconds, the fastest algorithm: with p the largest power of two that is at
// most n, L the latency, B and G the times to move and to add up a byte,
//   doubling  log2(p) (L + m (B + G))
//   halving   log2(p) 2 L + (p - 1) / p m (2 B + G)   halves are exchanged and added up, then collected
//   ring      2 (n - 1) L + (n - 1) / n m (2 B + G)
// The first two take 2 L + m (2 B + G) more where n is no power of two, because the other ranks hand in all they have
// before, and get the sum behind. R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication
// Operations in MPICH, Int. J. High Performance Computing Applications 19(1), 2005.
//
// Two ranks take L + m B by a fitted network, which is what it was fitted to. Where the library halves or passes around
// large sums, B of two ranks is a byte's moving and half of its adding, which is right for halving and ring; doubling
// is too fast by at most the other half.
struct AllReduceTime {
  report::AllReduce algorithm = report::AllReduce::none;
  double moving_ns = 0;
  double adding_ns = 0;

  double time_ns() const { return moving_ns + adding_ns; }
};
AllReduceTime all_reduce_time(const report::Network& network, int ranks, std::int64_t bytes);

// Reports, summarised, of one machine. Cells of the arm "new" with ranks take part; those without a verification
// compute nothing. Errors, in words behind a file's name: no two sizes of gradients that two such ranks exchanged, no
// implementation with two numbers of rows.
Result<report::Predictions> predict(std::span<const report::Report> reports, const PredictionOptions& options);

}  // namespace gdbench::analysis
