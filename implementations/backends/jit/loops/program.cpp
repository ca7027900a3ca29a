#include "implementations/backends/jit/loops/program.h"

#include <algorithm>

namespace gdbench::backends::jit {

std::size_t bytes_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::f32:
    case Scalar::i32:
      return 4;
    case Scalar::f64:
    case Scalar::i64:
      return 8;
    case Scalar::boolean:
      break;
  }
  return 1;
}

Affine Affine::counter(LoopId loop) {
  Affine affine;
  affine.terms.emplace_back(loop, 1);
  return affine;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant += b.constant;
  for (const auto& [loop, coefficient] : b.terms) {
    const auto at = std::lower_bound(a.terms.begin(), a.terms.end(), loop,
                                     [](const auto& term, LoopId wanted) { return term.first < wanted; });
    if (at == a.terms.end() || at->first != loop) {
      a.terms.insert(at, {loop, coefficient});
    } else if ((at->second += coefficient) == 0) {
      a.terms.erase(at);
    }
  }
  return a;
}

Affine operator*(Affine a, std::int64_t factor) {
  if (factor == 0) return 0;
  a.constant *= factor;
  for (auto& term : a.terms) term.second *= factor;
  return a;
}

namespace {

std::size_t count_of(const Block& block) {
  std::size_t count = 0;
  for (const Statement& statement : block) count += statement.loop ? count_of(statement.loop->body) : 1;
  return count;
}

}  // namespace

std::size_t Program::instruction_count() const { return count_of(body); }

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
