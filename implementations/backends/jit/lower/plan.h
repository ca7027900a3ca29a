// How a step is lowered: as scalars, as one stream of rows, or as loops over blocks of rows, with rows or columns as
// the lanes of vectors. What has several answers is lowered in each of them, and the one that is predicted to be the
// fastest (loops/cost.h) is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "implementations/backends/jit/lower/choices.h"
#include "implementations/backends/jit/lower/row_blocks.h"
#include "implementations/backends/jit/lower/target.h"
#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

struct Plan {
  enum class Form : std::uint8_t { scalars, stream, row_stream, loops, panels };
  Form form = Form::loops;
  bool rows_in_lanes = false;   // of a batch; else its columns are
  std::int64_t block_rows = 0;  // 0: the batch as a whole
  bool pairs = false;           // of a mixed region: panels whose products multiply pairs of bfloat16
  bool tiles = false;           // by AMX's tiles
  Target target = {};
};

// "loops, lanes are rows, blocks of 64 rows".
std::string text_of(const Plan& plan);

struct PlanChoice {
  Plan plan;
  double cycles = 0;       // of a step, predicted; of the thread that has most where several share it
  std::string considered;  // a line for each plan that was lowered
};

// `region` has its gradients last (sink_gradients). Of `targets`, which are one or more, those behind the first are
// tried with what is best for that, if it is loops over columns: wide products gain by them.
PlanChoice choose_plan(const Region& region, std::span<const Target> targets, const Choices& choices, int threads);

// Why a step can't be shared out to so many threads, empty where it can.
std::string reason_against_threads(Region region, const Choices& choices, int threads);

}  // namespace gdbench::backends::jit
