// Into which parts an op is divided among threads.
#pragma once

#include <cstdint>
#include <optional>

#include "implementations/backends/common/ops.h"

namespace gdbench::backends::cpu {

enum class Divided : std::uint8_t {
  no,       // every part reads all of it
  rows,     // every part has rows of its own
  columns,  // or columns
  sum       // the result, which the parts' own ones are added up to
};

// The request with its operands as they are divided, which may be other shapes of the same arrays.
struct Division {
  Request request;
  std::int64_t rows = 0;        // or columns, of each operand that is divided
  std::int64_t least_rows = 1;  // that a part must have to be worth it
  Divided operands[kMaximumOperands] = {};
  double work = 0;  // in multiply-adds, or what takes about as long
};

// Nothing where an op cannot be divided into contiguous parts.
std::optional<Division> division_of(const Request& request);

// The first of `rows` rows that belong to part number `part` of `parts`; part number `parts` begins at the end. Parts
// differ by a row at most, or by some where there are many: theirs then begin where a cache line does.
std::int64_t first_row(std::int64_t rows, int part, int parts);

// What a part does, which has `count` of the rows. Only the first one, `leads`, takes what a sum starts from.
Request part_of(const Division& division, std::int64_t count, bool leads);

}  // namespace gdbench::backends::cpu
