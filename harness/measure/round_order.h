// The order in which a round visits its cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gdbench::measure {

// Order of `count` cells in round `round` of launch `launch`: a Williams design (E. J. Williams, Experimental designs
// balanced for the estimation of residual effects of treatments, 1949) whose cells are renamed by a permutation seeded
// per launch. Over `count` rounds every cell stands in every position once; for an even count every cell also follows
// every other one once, so that no cell profits from what its neighbour leaves in the caches. Odd counts alternate with
// their mirror image.
std::vector<std::size_t> round_order(std::size_t count, int round, int launch, std::uint64_t seed);

// The same for cells of which some belong together: those of one unit, such as the builds that are compared, stand next
// to each other, as neighbours share a spell of the machine. Units are ordered as above; within one the first changes
// from round to round, and in every other launch the order is mirrored. `units[i]` is the unit of cell i.
std::vector<std::size_t> round_order(std::span<const std::size_t> units, int round, int launch, std::uint64_t seed);

}  // namespace gdbench::measure
