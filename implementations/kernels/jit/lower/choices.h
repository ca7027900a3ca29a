// What a lowering may choose, the options that say so, and what came of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/kernels/jit/lower/target.h"

namespace gdbench::kernels::jit {

// Passes over a region, each of which can be switched off.
enum class Pass : std::uint8_t {
  unit_products,      // gradients of one row are added to the parameters entry by entry (region/unit_products.h)
  scale_folding,      // and the learning rate is a factor of the loss's gradient
  product_epilogues,  // elementwise nodes are computed where their operands are (groups.h)
  sum_epilogues,      // so are sums over rows, beside the entries that they sum (sum_epilogues.h)
  update_epilogues,   // so are updates, behind the products of their gradients
  row_blocks,         // a batch is processed in blocks of rows (row_blocks.h)
  layout,             // lanes are rows where that is less work (plan.h)
  streaming,          // narrow models go over the batch once (stream.h)
  scalarisation,      // tiny models become scalars (scalars.h)
  padding,            // small parameters lie with padded rows from the first step to the last (padding.h)
  unrolling,          // short loops become straight lines (loops/unroll.h)
};
constexpr std::size_t kPassCount = 11;

enum class Lanes : std::uint8_t { cheaper, columns, rows };

const char* name_of(Pass pass);

struct Choices {
  bool on[kPassCount] = {true, true, true, true, true, true, true, true, true, true, true};
  std::int64_t block_rows = 0;  // of a block of rows; 0: as many as promise the fastest step
  std::int64_t scalar_limit = 256;
  Lanes lanes = Lanes::cheaper;
  InstructionSet instructions = InstructionSet::fastest;
  std::string dump;  // a folder for what was made of the region; empty: none

  bool has(Pass pass) const { return on[static_cast<std::size_t>(pass)]; }
};

// Options but for the passes; kPassNames is what the option `passes` switches, separated by '|'.
std::span<const gdbench_option> region_options();
extern const char* const kPassNames;
extern const char* const kPassDescriptions;  // lines "NAME: what it does"

// From an instance's settings; null: the defaults.
Choices choices_of(const gdbench_settings* settings);

}  // namespace gdbench::kernels::jit
