#include "implementations/backends/jit/llvm/emitter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "implementations/backends/jit/llvm/values.h"

namespace gdbench::backends::jit {
namespace {

void collect_variables(const Block& block, std::set<VariableId>& variables) {
  for (const Statement& statement : block) {
    if (statement.loop) {
      collect_variables(statement.loop->body, variables);
    } else if (statement.instruction.code == Code::set) {
      variables.insert(statement.instruction.variable);
    }
  }
}

bool has_tiles(const Block& block) {
  return std::ranges::any_of(block, [](const Statement& statement) {
    return statement.loop ? has_tiles(statement.loop->body) : statement.instruction.has_tiles();
  });
}

// Writes a program into a module of its own as one function.
class Emitter {
 public:
  Emitter(LLVMContextRef context, const Program& program, const CodeOptions& options)
      : ir_(context, program.name, options.pairs),
        program_(program),
        scopes_(ir_, program),
        vector_bits_(options.vector_bits),
        values_(program.registers.size(), nullptr),
        variables_(program.variables.size(), nullptr),
        counters_(program.loops, nullptr) {}

  // The caller's to dispose of.
  LLVMModuleRef emit() {
    LLVMTypeRef parameters[] = {ir_.byte_pointer(), ir_.integer(64)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ir_.context()), parameters, 2, 0);
    function_ = LLVMAddFunction(ir_.module(), kEntryName, type);
    add_attribute("nounwind", "");
    add_attribute("prefer-vector-width", std::to_string(vector_bits_));
    add_attribute("min-legal-vector-width", std::to_string(vector_bits_));
    LLVMPositionBuilderAtEnd(ir_.builder(), LLVMAppendBasicBlockInContext(ir_.context(), function_, "entry"));
    steps_ = LLVMGetParam(function_, 1);
    for (const Array& array : program_.arrays) arrays_.push_back(start_of(array));
    const bool tiles = has_tiles(program_.body);
    if (tiles) ir_.configure_tiles();
    emit(program_.body);
    if (tiles) ir_.call("llvm.x86.tilerelease", {}, {});
    LLVMBuildRetVoid(ir_.builder());
    return ir_.module();
  }

 private:
  void add_attribute(const char* key, const std::string& value) {
    const std::string name = key;
    LLVMAttributeRef attribute =
        value.empty() ? LLVMCreateEnumAttribute(ir_.context(), LLVMGetEnumAttributeKindForName(key, name.size()), 0)
                      : LLVMCreateStringAttribute(ir_.context(), key, static_cast<unsigned>(name.size()), value.c_str(),
                                                  static_cast<unsigned>(value.size()));
    LLVMAddAttributeAtIndex(function_, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex), attribute);
  }

  LLVMValueRef typed(LLVMValueRef pointer, LLVMTypeRef pointee) {
    return LLVMBuildBitCast(ir_.builder(), pointer, LLVMPointerType(pointee, 0), "");
  }
  LLVMValueRef advanced(LLVMValueRef pointer, LLVMValueRef bytes) {
    return LLVMBuildInBoundsGEP2(ir_.builder(), ir_.integer(8), pointer, &bytes, 1, "");
  }

  LLVMValueRef argument_at(std::size_t position) {
    LLVMValueRef slots = typed(LLVMGetParam(function_, 0), ir_.byte_pointer());
    LLVMValueRef index = ir_.number(static_cast<std::int64_t>(position));
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(ir_.builder(), ir_.byte_pointer(), slots, &index, 1, "");
    return LLVMBuildLoad2(ir_.builder(), ir_.byte_pointer(), slot, "");
  }

  // Where an array starts: its argument's address and its offset.
  LLVMValueRef start_of(const Array& array) {
    LLVMValueRef argument = argument_at(array.argument);
    return array.offset == 0 ? argument : advanced(argument, ir_.number(array.offset));
  }

  // What the address is known to be a multiple of, in bytes.
  std::size_t alignment_of(const Address& address) const {
    const Array& array = program_.arrays[address.array];
    const std::size_t element = bytes_of(array.element);
    if (address.base) return element;
    std::size_t alignment = array.alignment;
    const auto divide = [&](std::int64_t elements) {
      alignment = std::gcd(alignment, static_cast<std::size_t>(std::llabs(elements)) * element);
    };
    divide(address.index.constant);
    for (const auto& [loop, coefficient] : address.index.terms) divide(coefficient);
    return alignment == 0 ? element : alignment;
  }

  LLVMValueRef pointer_to(const Address& address) {
    const auto element = static_cast<std::int64_t>(bytes_of(program_.arrays[address.array].element));
    LLVMValueRef pointer = start_of(address, element);
    if (address.index.constant != 0) pointer = advanced(pointer, ir_.number(address.index.constant * element));
    return pointer;
  }

  // Of the address without its constant, computed once where the loops around stand still: most code is addresses.
  LLVMValueRef start_of(const Address& address, std::int64_t element) {
    LLVMValueRef& known = starts_[{address.array, address.base, address.index.terms}];
    if (known != nullptr) return known;
    LLVMValueRef bytes = nullptr;
    for (const auto& [loop, coefficient] : address.index.terms) {
      LLVMValueRef term = LLVMBuildNSWMul(ir_.builder(), counters_[loop], ir_.number(coefficient * element), "");
      bytes = bytes == nullptr ? term : LLVMBuildNSWAdd(ir_.builder(), bytes, term, "");
    }
    known = arrays_[address.array];
    if (address.base) {
      known = advanced(known, LLVMBuildNSWMul(ir_.builder(), values_[*address.base], ir_.number(element), ""));
    }
    if (bytes != nullptr) known = advanced(known, bytes);
    return known;
  }

  // first, first + 1, ...
  LLVMValueRef count(Type type, const Affine& first) {
    std::vector<double> lanes(static_cast<std::size_t>(type.lanes));
    std::iota(lanes.begin(), lanes.end(), static_cast<double>(first.constant));
    LLVMValueRef value = ir_.constant(type.scalar, lanes);
    for (const auto& [loop, coefficient] : first.terms) {
      LLVMValueRef term = LLVMBuildMul(ir_.builder(), counters_[loop], ir_.number(coefficient), "");
      term = LLVMBuildTrunc(ir_.builder(), term, ir_.scalar(type.scalar), "");
      value = LLVMBuildAdd(ir_.builder(), value, type.lanes == 1 ? term : ir_.splat(type, term), "");
    }
    return value;
  }

  void emit(const Block& block) {
    for (const Statement& statement : block) {
      if (statement.loop) {
        emit(*statement.loop);
      } else {
        emit(statement.instruction);
      }
    }
  }

  // Runs at least once: the condition is at the end.
  void emit(const Loop& loop) {
    std::set<VariableId> changed;
    collect_variables(loop.body, changed);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(ir_.builder());
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(ir_.context(), function_, "loop");
    LLVMBuildBr(ir_.builder(), body);
    LLVMPositionBuilderAtEnd(ir_.builder(), body);
    LLVMValueRef counter = phi(ir_.integer(64), ir_.number(loop.over_steps ? 0 : loop.begin), before);
    counters_[loop.id] = counter;
    std::map<VariableId, LLVMValueRef> phis;
    for (const VariableId variable : changed) {
      if (variables_[variable] == nullptr) continue;  // set anew in each round
      phis[variable] = phi(ir_.llvm_type(program_.variables[variable]), variables_[variable], before);
      variables_[variable] = phis[variable];
    }
    const Starts outer = starts_;
    emit(loop.body);
    starts_ = outer;
    LLVMValueRef next = LLVMBuildNSWAdd(ir_.builder(), counter, ir_.number(loop.over_steps ? 1 : loop.step), "");
    LLVMValueRef end = loop.over_steps ? steps_ : ir_.number(loop.end);
    LLVMValueRef again = LLVMBuildICmp(ir_.builder(), LLVMIntSLT, next, end, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(ir_.builder());
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(ir_.context(), function_, "after");
    LLVMBuildCondBr(ir_.builder(), again, body, after);
    LLVMAddIncoming(counter, &next, &last, 1);
    for (const auto& [variable, node] : phis) LLVMAddIncoming(node, &variables_[variable], &last, 1);
    LLVMPositionBuilderAtEnd(ir_.builder(), after);
  }

  LLVMValueRef phi(LLVMTypeRef type, LLVMValueRef start, LLVMBasicBlockRef from) {
    LLVMValueRef node = LLVMBuildPhi(ir_.builder(), type, "");
    LLVMAddIncoming(node, &start, &from, 1);
    return node;
  }

  LLVMValueRef load(const Instruction& instruction) {
    const Type type = program_.registers[instruction.result];
    LLVMTypeRef wanted = ir_.llvm_type(type);
    LLVMValueRef pointer = typed(pointer_to(instruction.address), wanted);
    const auto alignment = static_cast<unsigned>(alignment_of(instruction.address));
    LLVMValueRef value = nullptr;
    if (instruction.active == type.lanes) {
      value = LLVMBuildLoad2(ir_.builder(), wanted, pointer, "");
      LLVMSetAlignment(value, alignment);
    } else {
      value = ir_.call("llvm.masked.load", {wanted, LLVMTypeOf(pointer)},
                       {pointer, LLVMConstInt(ir_.integer(32), alignment, 0), ir_.mask(type.lanes, instruction.active),
                        LLVMConstNull(wanted)});
    }
    scopes_.mark(value, instruction.address.array);
    return value;
  }

  void store(const Instruction& instruction) {
    const Type type = program_.registers[instruction.operands[0]];
    LLVMTypeRef stored = ir_.llvm_type(type);
    LLVMValueRef value = values_[instruction.operands[0]];
    LLVMValueRef pointer = typed(pointer_to(instruction.address), stored);
    const auto alignment = static_cast<unsigned>(alignment_of(instruction.address));
    LLVMValueRef access = nullptr;
    if (instruction.active == type.lanes) {
      access = LLVMBuildStore(ir_.builder(), value, pointer);
      LLVMSetAlignment(access, alignment);
    } else {
      access = ir_.call(
          "llvm.masked.store", {stored, LLVMTypeOf(pointer)},
          {value, pointer, LLVMConstInt(ir_.integer(32), alignment, 0), ir_.mask(type.lanes, instruction.active)});
    }
    scopes_.mark(access, instruction.address.array);
  }

  // For reading, into all caches or from the second one on.
  void prefetch(const Instruction& instruction) {
    const auto flag = [&](unsigned value) { return LLVMConstInt(ir_.integer(32), value, 0); };
    LLVMValueRef pointer = pointer_to(instruction.address);
    const unsigned locality = instruction.number == 2 ? 2 : 3;
    ir_.call("llvm.prefetch", {LLVMTypeOf(pointer)}, {pointer, flag(0), flag(locality), flag(1)});
  }

  void meet() {
    LLVMTypeRef parameter = ir_.byte_pointer();
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ir_.context()), &parameter, 1, 0);
    LLVMValueRef function = typed(argument_at(program_.meeting_argument), type);
    LLVMValueRef data = argument_at(program_.meeting_argument + 1);
    LLVMBuildCall2(ir_.builder(), type, function, &data, 1, "");
  }

  void emit_tiles(const Instruction& instruction) {
    const auto tile = [&](std::size_t operand) {
      return LLVMConstInt(ir_.integer(8), static_cast<unsigned>(instruction.tiles[operand]), 0);
    };
    if (instruction.code == Code::tile_zero) {
      ir_.call("llvm.x86.tilezero", {}, {tile(0)});
    } else if (instruction.code == Code::tile_multiply) {
      ir_.call("llvm.x86.tdpbf16ps", {}, {tile(0), tile(1), tile(2)});
    } else {
      const char* name = instruction.code == Code::tile_load ? "llvm.x86.tileloadd64" : "llvm.x86.tilestored64";
      LLVMValueRef stride = ir_.number(instruction.row_stride * static_cast<std::int64_t>(sizeof(float)));
      ir_.call(name, {}, {tile(0), pointer_to(instruction.address), stride});
    }
  }

  void emit(const Instruction& instruction) {
    if (instruction.code == Code::note) return;
    if (instruction.code == Code::prefetch) return prefetch(instruction);
    if (instruction.code == Code::fence) {
      LLVMBuildFence(ir_.builder(), LLVMAtomicOrderingSequentiallyConsistent, 1,
                     "");  // for this thread: no instruction
      return;
    }
    if (instruction.code == Code::meet) return meet();
    if (instruction.code == Code::store) return store(instruction);
    if (instruction.has_tiles()) return emit_tiles(instruction);
    if (instruction.code == Code::set) {
      variables_[instruction.variable] = values_[instruction.operands[0]];
      return;
    }
    values_[instruction.result] = value_of(instruction);
  }

  LLVMValueRef value_of(const Instruction& instruction) {
    const Type type = program_.registers[instruction.result];
    const auto operand = [&](int index) { return values_[instruction.operands[index]]; };
    LLVMTypeRef own = ir_.llvm_type(type);
    switch (instruction.code) {
      case Code::constant:
        return instruction.numbers.empty() ? ir_.constant(type, instruction.number)
                                           : ir_.constant(type.scalar, instruction.numbers);
      case Code::splat:
        return ir_.splat(type, operand(0));
      case Code::count:
        return count(type, instruction.address.index);
      case Code::load:
        return load(instruction);
      case Code::get:
        return variables_[instruction.variable];
      case Code::add:
        return (is_real(type.scalar) ? LLVMBuildFAdd : LLVMBuildAdd)(ir_.builder(), operand(0), operand(1), "");
      case Code::subtract:
        return (is_real(type.scalar) ? LLVMBuildFSub : LLVMBuildSub)(ir_.builder(), operand(0), operand(1), "");
      case Code::multiply:
        return (is_real(type.scalar) ? LLVMBuildFMul : LLVMBuildMul)(ir_.builder(), operand(0), operand(1), "");
      case Code::divide:
        return LLVMBuildFDiv(ir_.builder(), operand(0), operand(1), "");
      case Code::multiply_add:
        return ir_.call("llvm.fma", {own}, {operand(0), operand(1), operand(2)});
      case Code::square_root:
        return ir_.call("llvm.sqrt", {own}, {operand(0)});
      case Code::reciprocal_estimate:
        return ir_.estimate("rcp14", type, operand(0));
      case Code::reciprocal_root_estimate:
        return ir_.estimate("rsqrt14", type, operand(0));
      case Code::less:
        return LLVMBuildFCmp(ir_.builder(), LLVMRealOLT, operand(0), operand(1), "");
      case Code::equal:
        return LLVMBuildICmp(ir_.builder(), LLVMIntEQ, operand(0), operand(1), "");
      case Code::select:
        return LLVMBuildSelect(ir_.builder(), operand(0), operand(1), operand(2), "");
      case Code::round:
        return ir_.call("llvm.roundeven", {own}, {operand(0)});
      case Code::power_of_two:
        return ir_.power_of_two(type, operand(0));
      case Code::convert:
        return ir_.convert(program_.registers[instruction.operands[0]], type, operand(0));
      case Code::lane:
        return LLVMBuildExtractElement(ir_.builder(), operand(0),
                                       LLVMConstInt(ir_.integer(32), static_cast<unsigned>(instruction.indices[0]), 0),
                                       "");
      case Code::shuffle:
        return ir_.shuffle(operand(0), operand(1), instruction.indices);
      case Code::narrow:
        return ir_.narrow(type, operand(0));
      case Code::pair_lanes:
        return ir_.pair_lanes(program_.registers[instruction.operands[0]], operand(0), operand(1));
      case Code::pair_neighbours:
        return ir_.pair_neighbours(program_.registers[instruction.operands[0]], operand(0), operand(1));
      case Code::add_pairs:
        return ir_.add_pairs(operand(0), operand(1), operand(2));
      case Code::store:
      case Code::set:
      case Code::tile_zero:
      case Code::tile_load:
      case Code::tile_store:
      case Code::tile_multiply:
      case Code::prefetch:
      case Code::fence:
      case Code::meet:
      case Code::note:
        break;
    }
    return nullptr;
  }

  Values ir_;
  const Program& program_;
  AliasScopes scopes_;
  int vector_bits_;
  LLVMValueRef function_ = nullptr;
  LLVMValueRef steps_ = nullptr;
  std::vector<LLVMValueRef> arrays_;
  using Starts = std::map<std::tuple<ArrayId, std::optional<Register>, std::vector<std::pair<LoopId, std::int64_t>>>,
                          LLVMValueRef>;
  Starts starts_;                        // of addresses, known where the emitter is
  std::vector<LLVMValueRef> values_;     // by register
  std::vector<LLVMValueRef> variables_;  // by variable: its value where the emitter is; null before it is set
  std::vector<LLVMValueRef> counters_;   // by loop
};

}  // namespace

LLVMModuleRef emit_module(LLVMContextRef context, const Program& program, const CodeOptions& options) {
  return Emitter(context, program, options).emit();
}

}  // namespace gdbench::backends::jit
