#include "implementations/backends/jit/loops/unroll.h"

#include <algorithm>
#include <map>

namespace gdbench::backends::jit {
namespace {

class Unrolling {
 public:
  Unrolling(Program& program, std::size_t most) : program_(program), most_(most) {}

  std::int64_t run() {
    visit(program_.body);
    return unrolled_;
  }

 private:
  void visit(Block& block) {
    Block result;
    for (Statement& statement : block) {
      if (statement.loop) visit(statement.loop->body);
      if (statement.loop && is_short(*statement.loop)) {
        append_rounds(*statement.loop, result);
        ++unrolled_;
      } else {
        result.push_back(std::move(statement));
      }
    }
    block = std::move(result);
  }

  bool is_short(const Loop& loop) const {
    if (loop.over_steps) return false;
    std::size_t instructions = 0;
    for (const Statement& statement : loop.body) {
      if (statement.loop) return false;
      const Code code = statement.instruction.code;
      if (code != Code::note && code != Code::constant && code != Code::get) ++instructions;
    }
    return instructions * static_cast<std::size_t>(loop.rounds()) <= most_;
  }

  void append_rounds(const Loop& loop, Block& result) {
    for (std::int64_t counter = loop.begin; counter < loop.end; counter += loop.step) {
      std::map<Register, Register> renamed;
      for (const Statement& statement : loop.body) {
        const bool first = counter == loop.begin;
        if (statement.instruction.code == Code::note && !first) continue;
        Instruction copy = statement.instruction;
        for (Register& operand : copy.inputs()) rename(renamed, operand);
        if (copy.address.base) rename(renamed, *copy.address.base);
        set_counter(copy.address.index, loop.id, counter);
        if (copy.has_result() && !first) {
          program_.registers.push_back(program_.registers[copy.result]);
          copy.result = renamed[copy.result] = static_cast<Register>(program_.registers.size() - 1);
        }
        result.push_back({std::move(copy), nullptr});
      }
    }
  }

  static void rename(const std::map<Register, Register>& renamed, Register& value) {
    const auto found = renamed.find(value);
    if (found != renamed.end()) value = found->second;
  }

  static void set_counter(Affine& index, LoopId loop, std::int64_t counter) {
    const auto term = std::ranges::find(index.terms, loop, [](const auto& pair) { return pair.first; });
    if (term == index.terms.end()) return;
    index.constant += term->second * counter;
    index.terms.erase(term);
  }

  Program& program_;
  std::size_t most_;
  std::int64_t unrolled_ = 0;
};

}  // namespace

std::int64_t unroll_short_loops(Program& program, std::size_t max_instructions) {
  return Unrolling(program, max_instructions).run();
}

}  // namespace gdbench::backends::jit
