// What a step of a program takes, counted from its loops before anything is compiled: which of two ways of lowering a
// region is the faster one, and what should be expected of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

struct Cache {
  double bytes = 0;
  double ways = 1;  // lines whose addresses differ by a multiple of bytes / ways and that it keeps side by side
};

// A core, as the prediction sees it. The defaults are of the processor that this was compared with (Zen 4), and
// not far from others with two units for multiply-adds.
struct CoreModel {
  double arithmetic_per_cycle = 2;  // vectors, of any width that the program uses
  double loads_per_cycle = 2;
  double stores_per_cycle = 1;
  double shuffles_per_cycle = 2;
  double instructions_per_cycle = 5;
  double addition_latency = 4;     // of a multiply-add, too
  double division_cycles = 5;      // and of a square root
  double pair_cycles = 0.5;        // of Code::add_pairs
  double tile_cycles = 16;         // of a product of two tiles, which other instructions run beside
  double tile_store_cycles = 120;  // to wait for a tile's sums and for what is loaded from where they were stored
  double cycles_per_loop = 12;     // to enter and to leave one, which is predicted wrongly at its end
  Cache first_cache = {32 << 10, 8};
  Cache second_cache = {1 << 20, 8};
  double second_cache_bytes_per_cycle = 96;  // above what it delivers: hidden in part
  double hidden_part_of_fetched = 0.75;      // of these, where the program fetches them ahead
  double beyond_bytes_per_cycle = 20;
  // At strides of so many bytes and more, which the processor does not fetch ahead by itself, and no program did: from
  // the second cache, and from beyond it.
  double far_bytes = 2048;
  double late_bytes_per_cycle = 16;
  double unfetched_bytes_per_cycle = 1.5;
};

// Per step.
struct Cost {
  double instruction_cycles = 0;  // what all instructions take, if everything is in the first cache
  double second_cache_bytes = 0;  // that the first cache can't keep from one use to the next
  double fetched_bytes = 0;       // of these, what the program fetches ahead
  double beyond_bytes = 0;        // that the second can't
  double late_bytes = 0;          // from the second cache, without a prefetch
  double unfetched_bytes = 0;     // from beyond it
  double cycles = 0;
  // Of the instruction cycles, those of loops and instructions that follow a note; the same note stands once.
  std::vector<std::pair<std::string, double>> noted_cycles;
};

Cost cost_of(const Program& program, const CoreModel& core = {});

}  // namespace gdbench::backends::jit
