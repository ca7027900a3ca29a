#include "implementations/backends/jit/loops/check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

namespace gdbench::backends::jit {
namespace {

class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), known_(program.registers.size(), false), loops_(program.loops, nullptr) {}

  std::string run() {
    check(program_.body);
    return error_;
  }

 private:
  bool failed() const { return !error_.empty(); }

  void fail(const Instruction& instruction, const std::string& what) {
    if (failed()) return;
    error_ =
        std::string(name_of(instruction.code)) + " into register " + std::to_string(instruction.result) + ": " + what;
  }

  void check(const Block& block) {
    const std::vector<bool> known_before = known_;
    for (const Statement& statement : block) {
      if (failed()) return;
      if (statement.loop) {
        check_loop(*statement.loop);
      } else {
        check_instruction(statement.instruction);
      }
    }
    known_ = known_before;  // registers are seen in their own block and those inside it
  }

  void check_loop(const Loop& loop) {
    if (loop.id >= loops_.size() || loops_[loop.id] != nullptr) {
      error_ = "loop " + std::to_string(loop.id) + ": its number is not its own";
    } else if (!loop.over_steps && (loop.step <= 0 || loop.begin >= loop.end)) {
      error_ = "loop " + std::to_string(loop.id) + ": it does not run";
    }
    if (failed()) return;
    loops_[loop.id] = &loop;
    check(loop.body);
    loops_[loop.id] = nullptr;
  }

  void check_instruction(const Instruction& instruction) {
    for (const Register& operand : instruction.inputs()) {
      if (operand < known_.size() && known_[operand]) continue;
      return fail(instruction, "operand " + std::to_string(&operand - instruction.operands) + " is not set here");
    }
    check_types(instruction);
    if (instruction.code == Code::load || instruction.code == Code::store) check_address(instruction);
    if (instruction.has_tiles()) check_tiles(instruction);
    if (instruction.code == Code::set) set_.insert(instruction.variable);
    if (instruction.code == Code::get && !set_.contains(instruction.variable)) {
      fail(instruction, "variable " + std::to_string(instruction.variable) + " is not set yet");
    }
    if (!instruction.has_result()) return;
    if (instruction.result >= known_.size() || known_[instruction.result]) {
      return fail(instruction, "the register is set twice");
    }
    known_[instruction.result] = true;
  }

  Type type(Register value) const { return program_.registers[value]; }

  // The type that a result must have; nothing where the operands do not fit together.
  std::optional<Type> result_type(const Instruction& instruction) const {
    // Operands are of one type, except for a condition.
    const std::span<const Register> inputs = instruction.inputs();
    if (instruction.code == Code::add_pairs) return type_of_pairs(inputs);
    for (std::size_t i = instruction.code == Code::select ? 1 : 0; i < inputs.size(); ++i) {
      if (type(inputs[i]) != type(inputs.back())) return {};
    }
    const Type own = instruction.has_result() ? type(instruction.result) : Type();
    const Type first = inputs.empty() ? Type() : type(inputs[0]);
    switch (instruction.code) {
      case Code::constant:
        if (!instruction.numbers.empty() && instruction.numbers.size() != static_cast<std::size_t>(own.lanes))
          return {};
        return own;
      case Code::tile_zero:
      case Code::tile_load:
      case Code::tile_store:
      case Code::tile_multiply:
      case Code::prefetch:
      case Code::fence:
      case Code::meet:
      case Code::note:
        return own;
      case Code::splat:
        if (first.lanes != 1) return {};
        return Type{first.scalar, own.lanes};
      case Code::count:
        return Type{Scalar::i32, own.lanes};
      case Code::load:
        return Type{program_.arrays[instruction.address.array].element, own.lanes};
      case Code::store:
        if (first.scalar != program_.arrays[instruction.address.array].element) return {};
        return own;
      case Code::get:
        return program_.variables[instruction.variable];
      case Code::set:
        if (first != program_.variables[instruction.variable]) return {};
        return own;
      case Code::add:
      case Code::subtract:
      case Code::multiply:
      case Code::divide:
      case Code::multiply_add:
      case Code::square_root:
      case Code::round:
      case Code::power_of_two:
        return first;
      case Code::reciprocal_estimate:
      case Code::reciprocal_root_estimate:
        if (first.scalar != Scalar::f32 || first.lanes < kLeastLanesOfEstimates) return {};
        return first;
      case Code::less:
      case Code::equal:
        return Type{Scalar::boolean, first.lanes};
      case Code::select:
        if (first != Type{Scalar::boolean, type(inputs[1]).lanes}) return {};
        return type(inputs[1]);
      case Code::convert:
        return Type{own.scalar, first.lanes};
      case Code::lane:
        if (!within(instruction, first.lanes)) return {};
        return Type{first.scalar, 1};
      case Code::shuffle:
        if (!within(instruction, 2 * first.lanes)) return {};
        return Type{first.scalar, static_cast<int>(instruction.indices.size())};
      case Code::narrow:
        if (first.scalar != Scalar::f32) return {};
        return first;
      case Code::pair_lanes:
        if (first.scalar != Scalar::f32) return {};
        return Type{Scalar::i32, first.lanes};
      case Code::pair_neighbours:
        if (first.scalar != Scalar::f32 || first.lanes % 2 != 0) return {};
        return Type{Scalar::i32, first.lanes};
      case Code::add_pairs:
        break;  // above
    }
    return {};
  }

  // Of two vectors of pairs and a sum.
  std::optional<Type> type_of_pairs(std::span<const Register> inputs) const {
    const Type pairs = {Scalar::i32, kLanesOfPairs};
    const Type sum = {Scalar::f32, kLanesOfPairs};
    if (type(inputs[0]) != pairs || type(inputs[1]) != pairs || type(inputs[2]) != sum) return {};
    return sum;
  }

  static bool within(const Instruction& instruction, int lanes) {
    return !instruction.indices.empty() &&
           std::ranges::all_of(instruction.indices, [&](int index) { return index >= 0 && index < lanes; });
  }

  void check_types(const Instruction& instruction) {
    if ((instruction.code == Code::get || instruction.code == Code::set) &&
        instruction.variable >= program_.variables.size()) {
      return fail(instruction, "there is no variable " + std::to_string(instruction.variable));
    }
    const bool memory = instruction.code == Code::load || instruction.code == Code::store;
    if (memory && instruction.address.array >= program_.arrays.size()) {
      return fail(instruction, "there is no array " + std::to_string(instruction.address.array));
    }
    const std::optional<Type> wanted = result_type(instruction);
    if (!wanted || (instruction.has_result() && type(instruction.result) != *wanted)) {
      fail(instruction, "the types do not fit together");
    }
  }

  // Pairs and floats are loaded, floats stored.
  void check_tiles(const Instruction& instruction) {
    const auto is_tile = [](int tile) { return tile >= 0 && tile < kTiles; };
    if (!std::ranges::all_of(instruction.tiles, is_tile)) return fail(instruction, "there is no such tile");
    if (instruction.code != Code::tile_load && instruction.code != Code::tile_store) return;
    if (instruction.address.array >= program_.arrays.size()) {
      return fail(instruction, "there is no array " + std::to_string(instruction.address.array));
    }
    const Scalar element = program_.arrays[instruction.address.array].element;
    if (element != Scalar::f32 && (element != Scalar::i32 || instruction.code == Code::tile_store)) {
      return fail(instruction, "the types do not fit together");
    }
    if (instruction.row_stride < kTileColumns) return fail(instruction, "its rows overlap");
    check_range(instruction, (kTileRows - 1) * instruction.row_stride + kTileColumns);
  }

  void check_address(const Instruction& instruction) {
    if (const std::optional<Register> base = instruction.address.base) {
      if (*base >= known_.size() || !known_[*base]) return fail(instruction, "its address's base is not set here");
      if (type(*base) != Type{Scalar::i64, 1}) return fail(instruction, "its address's base is no whole number");
    }
    const int lanes =
        instruction.code == Code::store ? type(instruction.operands[0]).lanes : type(instruction.result).lanes;
    if (instruction.active < 1 || instruction.active > lanes) return fail(instruction, "no lane is active");
    check_range(instruction, instruction.active);
  }

  // Of `size` elements from the address on.
  void check_range(const Instruction& instruction, std::int64_t size) {
    const Array& array = program_.arrays[instruction.address.array];
    std::int64_t least = instruction.address.index.constant;
    std::int64_t most = least + size - 1;
    std::int64_t per_step = 0;
    for (const auto& [id, coefficient] : instruction.address.index.terms) {
      const Loop* loop = id < loops_.size() ? loops_[id] : nullptr;
      if (loop == nullptr) return fail(instruction, "its address counts with a loop that it is not in");
      if (loop->over_steps) {
        per_step = coefficient;
        continue;
      }
      const std::int64_t first = coefficient * loop->begin;
      const std::int64_t last = coefficient * loop->last();
      least += std::min(first, last);
      most += std::max(first, last);
    }
    const bool steps = array.size == kPerStep;
    const std::int64_t end = steps ? per_step : array.size;
    if (least < 0 || most >= end || (!steps && per_step != 0)) {
      fail(instruction, "elements " + std::to_string(least) + " to " + std::to_string(most) + " of " + array.name +
                            ", which has " + std::to_string(end));
    }
  }

  const Program& program_;
  std::vector<bool> known_;         // by register
  std::vector<const Loop*> loops_;  // those that are around the instruction, by their number
  std::set<VariableId> set_;
  std::string error_;
};

}  // namespace

std::string program_error(const Program& program) { return Checker(program).run(); }

}  // namespace gdbench::backends::jit
