// What a lowering may choose, the options that say so, and what came of it.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"
#include "implementations/backends/common/region.h"
#include "implementations/backends/jit/lower/target.h"

namespace gdbench::backends::jit {

using catalogue::name_of;

// Passes over a region, each of which can be switched off.
enum class Pass : std::uint8_t {
  unit_products,      // gradients of one row are added to the parameters entry by entry (region/rewrites.h)
  scale_folding,      // and the learning rate is a factor of the loss's gradient
  product_epilogues,  // elementwise nodes are computed where their operands are (groups.h)
  sum_epilogues,      // so are sums over rows, with the entries that they sum (groups.h)
  update_epilogues,   // so are updates, behind the products of their gradients
  row_blocks,         // a batch is processed in blocks of rows (row_blocks.h)
  panels,             // wide layers in panels of rows, weights in blocks (panels.h)
  cache_blocks,       // of which as many are taken at once as the second cache holds
  tiles,              // whose products of bfloat16 are of AMX's tiles (tile_products.h)
  prefetching,        // and what comes next is fetched ahead
  layout,             // lanes are rows where that is less work (plan.h)
  streaming,          // narrow models go over the batch once (stream.h)
  scalarisation,      // tiny models become scalars (entry_lowering.h)
  padding,            // small parameters lie with padded rows from the first step to the last (copies.h)
  refinement,         // quotients and roots of f32 are refined from estimates, where there are some (update.h)
  unrolling,          // short loops become straight lines (loops/unroll.h)
};

struct PassRow {
  Pass value;
  const char* name;
  const char* description;
};
inline constexpr PassRow kPasses[] = {
    {Pass::unit_products, "unit-products", "adds the gradient of one row to the parameters entry by entry"},
    {Pass::scale_folding, "scale-folding", "makes the learning rate a factor of the loss's gradient"},
    {Pass::product_epilogues, "product-epilogues", "computes elementwise operations where their operands are made"},
    {Pass::sum_epilogues, "sum-epilogues", "sums over rows with the entries that are summed"},
    {Pass::update_epilogues, "update-epilogues", "updates parameters behind the products of their gradients"},
    {Pass::row_blocks, "row-blocks", "goes through a batch in blocks of rows"},
    {Pass::panels, "panels", "makes rows the lanes of wide layers, and keeps their weights in blocks"},
    {Pass::cache_blocks, "cache-blocks", "takes as many of those weights at once as the second cache holds"},
    {Pass::tiles, "tiles", "multiplies wide layers of bfloat16 by AMX's tiles"},
    {Pass::prefetching, "prefetch", "fetches weights, and values of the batch, ahead"},
    {Pass::layout, "layout", "makes rows the lanes of vectors where that is less work"},
    {Pass::streaming, "streaming", "goes over the batch once where the model is narrow"},
    {Pass::scalarisation, "scalarisation", "keeps tiny models in scalars"},
    {Pass::padding, "padding", "keeps small parameters in padded rows for all steps"},
    {Pass::refinement, "refinement", "refines quotients and roots from estimates instead of dividing"},
    {Pass::unrolling, "unrolling", "makes straight lines of short loops"}};
constexpr const auto& rows_of(Pass /*any*/) { return kPasses; }
constexpr std::size_t kPassCount = std::size(kPasses);

// panels: rows in panels where a step allows it; else what is cheaper.
enum class Lanes : std::uint8_t { cheaper, columns, rows, panels };

struct Choices {
  std::bitset<kPassCount> on = std::bitset<kPassCount>().set();
  std::int64_t block_rows = 0;  // of a block of rows; 0: as many as promise the fastest step
  std::int64_t scalar_limit = 256;
  Lanes lanes = Lanes::cheaper;
  InstructionSet instructions = InstructionSet::fastest;
  std::int64_t second_cache_kib = 0;  // that is planned for; 0: as many as the processor has
  std::string dump;                   // a folder for what was made of the region; empty: none

  bool has(Pass pass) const { return on[static_cast<std::size_t>(pass)]; }
};

// The options, and the names and descriptions of the passes; nothing is bound by them.
RegionFunctions region_functions();

// From an instance's settings; null: the defaults.
Choices choices_of(const gdbench_settings* settings);

// Why nothing can be lowered so, empty where it can.
std::string reason_against(const Choices& choices);

}  // namespace gdbench::backends::jit
