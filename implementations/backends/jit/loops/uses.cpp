#include "implementations/backends/jit/loops/uses.h"

#include <algorithm>

namespace gdbench::backends::jit {

Uses::Uses(const Program& program) : counts_(program.registers.size(), 0), last_(program.registers.size(), 0) {
  visit(program.body);
}

void Uses::visit(const Block& block) {
  for (const Statement& statement : block) {
    if (statement.loop) {
      visit(statement.loop->body);
      continue;
    }
    const Instruction& instruction = statement.instruction;
    const auto use = [&](Register value) {
      ++counts_[value];
      last_[value] = position_;
    };
    for (int i = 0; i < instruction.operand_count; ++i) use(instruction.operands[i]);
    if (instruction.address.base) use(*instruction.address.base);
    if (instruction.code == Code::set) {
      sets_[position_] = instruction.variable;
      set_at_[instruction.variable].push_back(position_);
    }
    ++position_;
  }
}

bool Uses::is_set_next(Register value, std::size_t position) const {
  return counts_[value] == 1 && last_[value] == position + 1 && sets_.contains(position + 1);
}

bool Uses::is_unchanged(VariableId variable, Register value, std::size_t position) const {
  const auto sets = set_at_.find(variable);
  if (sets == set_at_.end()) return true;
  const auto next = std::ranges::upper_bound(sets->second, position);
  return next == sets->second.end() || *next >= last_[value];
}

}  // namespace gdbench::backends::jit
