// Where the registers of a program are used: what a reader need not see, because it stands in one place only.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// Positions count a program's instructions as they stand, those of loops included.
class Uses {
 public:
  explicit Uses(const Program& program);

  // Whether the register is used once, by the instruction that follows `position` and sets a variable.
  bool is_set_next(Register value, std::size_t position) const;
  // Whether the variable is still what a `get` at `position` read when `value`, its result, is used for the last time.
  bool is_unchanged(VariableId variable, Register value, std::size_t position) const;

 private:
  void visit(const Block& block);

  std::size_t position_ = 0;
  std::vector<std::size_t> counts_;                        // by register
  std::vector<std::size_t> last_;                          // by register: the last use's position
  std::map<std::size_t, VariableId> sets_;                 // by position
  std::map<VariableId, std::vector<std::size_t>> set_at_;  // ascending
};

}  // namespace gdbench::backends::jit
