// Written against LLVM's C interface, which is the same from LLVM 14 to 19. Registers become LLVM's values as they are;
// variables become phi nodes at the loops that set them, so that no pass has to find that out, and none is run: code
// generation with its scheduler is all that follows.
#include "implementations/kernels/jit/llvm/compiler.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace gdbench::kernels::jit {
namespace {

constexpr const char* kEntry = "run";

std::string taken(LLVMErrorRef error) {
  char* message = LLVMGetErrorMessage(error);
  std::string text = message;
  LLVMDisposeErrorMessage(message);
  return text;
}

std::string taken(char* message) {
  std::string text = message == nullptr ? "" : message;
  LLVMDisposeMessage(message);
  return text;
}

void collect_variables(const Block& block, std::set<VariableId>& variables) {
  for (const Statement& statement : block) {
    if (statement.loop) {
      collect_variables(statement.loop->body, variables);
    } else if (statement.instruction.code == Code::set) {
      variables.insert(statement.instruction.variable);
    }
  }
}

// Writes a program into a module of its own as one function.
class Emitter {
 public:
  Emitter(LLVMContextRef context, const Program& program, int vector_bits)
      : context_(context),
        program_(program),
        vector_bits_(vector_bits),
        module_(LLVMModuleCreateWithNameInContext(program.name.c_str(), context)),
        builder_(LLVMCreateBuilderInContext(context)),
        values_(program.registers.size(), nullptr),
        variables_(program.variables.size(), nullptr),
        counters_(program.loops, nullptr) {}
  ~Emitter() { LLVMDisposeBuilder(builder_); }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // The caller's to dispose of.
  LLVMModuleRef emit() {
    LLVMTypeRef parameters[] = {byte_pointer(), integer(64)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context_), parameters, 2, 0);
    function_ = LLVMAddFunction(module_, kEntry, type);
    add_attribute("nounwind", "");
    add_attribute("prefer-vector-width", std::to_string(vector_bits_));
    add_attribute("min-legal-vector-width", std::to_string(vector_bits_));
    LLVMPositionBuilderAtEnd(builder_, LLVMAppendBasicBlockInContext(context_, function_, "entry"));
    steps_ = LLVMGetParam(function_, 1);
    for (const Array& array : program_.arrays) arrays_.push_back(start_of(array));
    make_scopes();
    emit(program_.body);
    LLVMBuildRetVoid(builder_);
    return module_;
  }

 private:
  LLVMTypeRef integer(unsigned bits) { return LLVMIntTypeInContext(context_, bits); }
  LLVMTypeRef byte_pointer() { return LLVMPointerType(integer(8), 0); }
  LLVMValueRef number(std::int64_t value) { return LLVMConstInt(integer(64), static_cast<std::uint64_t>(value), 1); }

  static bool is_real(Type type) { return type.scalar == Scalar::f32 || type.scalar == Scalar::f64; }

  LLVMTypeRef scalar(Scalar type) {
    switch (type) {
      case Scalar::f32:
        return LLVMFloatTypeInContext(context_);
      case Scalar::f64:
        return LLVMDoubleTypeInContext(context_);
      case Scalar::i32:
        return integer(32);
      case Scalar::i64:
        return integer(64);
      case Scalar::boolean:
        break;
    }
    return integer(1);
  }
  LLVMTypeRef llvm_type(Type type) {
    return type.lanes == 1 ? scalar(type.scalar)
                           : LLVMVectorType(scalar(type.scalar), static_cast<unsigned>(type.lanes));
  }

  void add_attribute(const char* key, const std::string& value) {
    const std::string name = key;
    LLVMAttributeRef attribute =
        value.empty() ? LLVMCreateEnumAttribute(context_, LLVMGetEnumAttributeKindForName(key, name.size()), 0)
                      : LLVMCreateStringAttribute(context_, key, static_cast<unsigned>(name.size()), value.c_str(),
                                                  static_cast<unsigned>(value.size()));
    LLVMAddAttributeAtIndex(function_, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex), attribute);
  }

  LLVMValueRef typed(LLVMValueRef pointer, LLVMTypeRef pointee) {
    return LLVMBuildBitCast(builder_, pointer, LLVMPointerType(pointee, 0), "");
  }
  LLVMValueRef advanced(LLVMValueRef pointer, LLVMValueRef bytes) {
    return LLVMBuildInBoundsGEP2(builder_, integer(8), pointer, &bytes, 1, "");
  }

  // Where an array starts: its argument's address and its offset.
  LLVMValueRef start_of(const Array& array) {
    LLVMValueRef slots = typed(LLVMGetParam(function_, 0), byte_pointer());
    LLVMValueRef index = number(static_cast<std::int64_t>(array.argument));
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(builder_, byte_pointer(), slots, &index, 1, "");
    LLVMValueRef argument = LLVMBuildLoad2(builder_, byte_pointer(), slot, "");
    return array.offset == 0 ? argument : advanced(argument, number(array.offset));
  }

  // An alias scope per array, so that a store into one is no obstacle to loads from others.
  void make_scopes() {
    LLVMMetadataRef domain = unique_node("arrays", nullptr);
    std::vector<LLVMMetadataRef> scopes;
    for (const Array& array : program_.arrays) scopes.push_back(unique_node(array.name.c_str(), domain));
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      std::vector<LLVMMetadataRef> others;
      for (std::size_t j = 0; j < scopes.size(); ++j) {
        if (j != i) others.push_back(scopes[j]);
      }
      own_scope_.push_back(list_of({scopes[i]}));
      other_scopes_.push_back(list_of(others));
    }
  }
  LLVMValueRef list_of(const std::vector<LLVMMetadataRef>& nodes) {
    return LLVMMetadataAsValue(
        context_, LLVMMDNodeInContext2(context_, const_cast<LLVMMetadataRef*>(nodes.data()), nodes.size()));
  }
  // A node that is told from others by its name.
  LLVMMetadataRef unique_node(const char* name, LLVMMetadataRef domain) {
    const std::string text = program_.name + "." + name + "." + std::to_string(unique_++);
    std::vector<LLVMMetadataRef> parts = {LLVMMDStringInContext2(context_, text.c_str(), text.size())};
    if (domain != nullptr) parts.push_back(domain);
    return LLVMMDNodeInContext2(context_, parts.data(), parts.size());
  }

  void mark(LLVMValueRef access, ArrayId array) {
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(context_, "alias.scope", 11), own_scope_[array]);
    if (program_.arrays.size() > 1) {
      LLVMSetMetadata(access, LLVMGetMDKindIDInContext(context_, "noalias", 7), other_scopes_[array]);
    }
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
    LLVMValueRef bytes = nullptr;
    for (const auto& [loop, coefficient] : address.index.terms) {
      LLVMValueRef term = LLVMBuildNSWMul(builder_, counters_[loop], number(coefficient * element), "");
      bytes = bytes == nullptr ? term : LLVMBuildNSWAdd(builder_, bytes, term, "");
    }
    LLVMValueRef pointer = arrays_[address.array];
    if (address.base) {
      pointer = advanced(pointer, LLVMBuildNSWMul(builder_, values_[*address.base], number(element), ""));
    }
    if (bytes != nullptr) pointer = advanced(pointer, bytes);
    if (address.index.constant != 0) pointer = advanced(pointer, number(address.index.constant * element));
    return pointer;
  }

  // first, first + 1, ...
  LLVMValueRef count(Type type, const Affine& first) {
    std::vector<double> lanes(static_cast<std::size_t>(type.lanes));
    std::iota(lanes.begin(), lanes.end(), static_cast<double>(first.constant));
    LLVMValueRef value = constant(type.scalar, lanes);
    for (const auto& [loop, coefficient] : first.terms) {
      LLVMValueRef term = LLVMBuildMul(builder_, counters_[loop], number(coefficient), "");
      term = LLVMBuildTrunc(builder_, term, scalar(type.scalar), "");
      value = LLVMBuildAdd(builder_, value, type.lanes == 1 ? term : splat(type, term), "");
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
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder_);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context_, function_, "loop");
    LLVMBuildBr(builder_, body);
    LLVMPositionBuilderAtEnd(builder_, body);
    LLVMValueRef counter = phi(integer(64), number(loop.over_steps ? 0 : loop.begin), before);
    counters_[loop.id] = counter;
    std::map<VariableId, LLVMValueRef> phis;
    for (const VariableId variable : changed) {
      if (variables_[variable] == nullptr) continue;  // set anew in each round
      phis[variable] = phi(llvm_type(program_.variables[variable]), variables_[variable], before);
      variables_[variable] = phis[variable];
    }
    emit(loop.body);
    LLVMValueRef next = LLVMBuildNSWAdd(builder_, counter, number(loop.over_steps ? 1 : loop.step), "");
    LLVMValueRef end = loop.over_steps ? steps_ : number(loop.end);
    LLVMValueRef again = LLVMBuildICmp(builder_, LLVMIntSLT, next, end, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder_);
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(context_, function_, "after");
    LLVMBuildCondBr(builder_, again, body, after);
    LLVMAddIncoming(counter, &next, &last, 1);
    for (const auto& [variable, node] : phis) LLVMAddIncoming(node, &variables_[variable], &last, 1);
    LLVMPositionBuilderAtEnd(builder_, after);
  }

  LLVMValueRef phi(LLVMTypeRef type, LLVMValueRef start, LLVMBasicBlockRef from) {
    LLVMValueRef node = LLVMBuildPhi(builder_, type, "");
    LLVMAddIncoming(node, &start, &from, 1);
    return node;
  }

  LLVMValueRef constant(Scalar type, double value) {
    const bool real = type == Scalar::f32 || type == Scalar::f64;
    return real ? LLVMConstReal(scalar(type), value)
                : LLVMConstInt(scalar(type), static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 1);
  }
  LLVMValueRef constant(Scalar type, const std::vector<double>& numbers) {
    std::vector<LLVMValueRef> lanes;
    for (const double value : numbers) lanes.push_back(constant(type, value));
    return lanes.size() == 1 ? lanes[0] : LLVMConstVector(lanes.data(), static_cast<unsigned>(lanes.size()));
  }
  LLVMValueRef constant(Type type, double value) {
    return constant(type.scalar, std::vector<double>(static_cast<std::size_t>(type.lanes), value));
  }

  // An intrinsic that is overloaded for `types`.
  LLVMValueRef call(const char* name, std::initializer_list<LLVMTypeRef> types,
                    std::initializer_list<LLVMValueRef> arguments) {
    const unsigned id = LLVMLookupIntrinsicID(name, std::char_traits<char>::length(name));
    std::vector<LLVMTypeRef> overloads(types);
    std::vector<LLVMValueRef> values(arguments);
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module_, id, overloads.data(), overloads.size());
    LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, overloads.data(), overloads.size());
    return LLVMBuildCall2(builder_, type, intrinsic, values.data(), static_cast<unsigned>(values.size()), "");
  }

  LLVMValueRef mask(int lanes, int active) {
    std::vector<LLVMValueRef> bits;
    for (int i = 0; i < lanes; ++i) bits.push_back(LLVMConstInt(integer(1), i < active ? 1 : 0, 0));
    return LLVMConstVector(bits.data(), static_cast<unsigned>(bits.size()));
  }

  LLVMValueRef load(const Instruction& instruction) {
    const Type type = program_.registers[instruction.result];
    LLVMTypeRef wanted = llvm_type(type);
    LLVMValueRef pointer = typed(pointer_to(instruction.address), wanted);
    const auto alignment = static_cast<unsigned>(alignment_of(instruction.address));
    LLVMValueRef value = nullptr;
    if (instruction.active == type.lanes) {
      value = LLVMBuildLoad2(builder_, wanted, pointer, "");
      LLVMSetAlignment(value, alignment);
    } else {
      value = call("llvm.masked.load", {wanted, LLVMTypeOf(pointer)},
                   {pointer, LLVMConstInt(integer(32), alignment, 0), mask(type.lanes, instruction.active),
                    LLVMConstNull(wanted)});
    }
    mark(value, instruction.address.array);
    return value;
  }

  void store(const Instruction& instruction) {
    const Type type = program_.registers[instruction.operands[0]];
    LLVMTypeRef stored = llvm_type(type);
    LLVMValueRef value = values_[instruction.operands[0]];
    LLVMValueRef pointer = typed(pointer_to(instruction.address), stored);
    const auto alignment = static_cast<unsigned>(alignment_of(instruction.address));
    LLVMValueRef access = nullptr;
    if (instruction.active == type.lanes) {
      access = LLVMBuildStore(builder_, value, pointer);
      LLVMSetAlignment(access, alignment);
    } else {
      access = call("llvm.masked.store", {stored, LLVMTypeOf(pointer)},
                    {value, pointer, LLVMConstInt(integer(32), alignment, 0), mask(type.lanes, instruction.active)});
    }
    mark(access, instruction.address.array);
  }

  LLVMValueRef shuffle(LLVMValueRef a, LLVMValueRef b, const std::vector<int>& indices) {
    std::vector<LLVMValueRef> lanes;
    for (const int index : indices) lanes.push_back(LLVMConstInt(integer(32), static_cast<unsigned>(index), 0));
    LLVMValueRef picked =
        LLVMBuildShuffleVector(builder_, a, b, LLVMConstVector(lanes.data(), static_cast<unsigned>(lanes.size())), "");
    // A vector of one lane is a scalar here.
    return indices.size() == 1 ? LLVMBuildExtractElement(builder_, picked, LLVMConstInt(integer(32), 0, 0), "")
                               : picked;
  }

  LLVMValueRef splat(Type type, LLVMValueRef value) {
    LLVMValueRef zero = LLVMConstInt(integer(32), 0, 0);
    LLVMValueRef first = LLVMBuildInsertElement(builder_, LLVMGetUndef(llvm_type(type)), value, zero, "");
    return LLVMBuildShuffleVector(builder_, first, LLVMGetUndef(llvm_type(type)),
                                  LLVMConstNull(LLVMVectorType(integer(32), static_cast<unsigned>(type.lanes))), "");
  }

  // 2^a: added to 1.5 x 2^(bits of the mantissa), a + bias stands in the sum's last bits, from where it is shifted to
  // where exponents are.
  LLVMValueRef power_of_two(Type type, LLVMValueRef a) {
    const bool single = type.scalar == Scalar::f32;
    const Type bits{single ? Scalar::i32 : Scalar::i64, type.lanes};
    LLVMValueRef sum = LLVMBuildFAdd(builder_, a, constant(type, single ? 0x1.8p23 + 127 : 0x1.8p52 + 1023), "");
    LLVMValueRef exponent = LLVMBuildBitCast(builder_, sum, llvm_type(bits), "");
    exponent = LLVMBuildShl(builder_, exponent, constant(bits, single ? 23 : 52), "");
    return LLVMBuildBitCast(builder_, exponent, llvm_type(type), "");
  }

  LLVMValueRef convert(Type from, Type to, LLVMValueRef value) {
    const auto real = [](Scalar scalar) { return scalar == Scalar::f32 || scalar == Scalar::f64; };
    LLVMTypeRef wanted = llvm_type(to);
    if (real(from.scalar) && real(to.scalar)) return LLVMBuildFPCast(builder_, value, wanted, "");
    if (real(to.scalar)) return LLVMBuildSIToFP(builder_, value, wanted, "");
    if (real(from.scalar)) return LLVMBuildFPToSI(builder_, value, wanted, "");
    return LLVMBuildIntCast2(builder_, value, wanted, 1, "");
  }

  void emit(const Instruction& instruction) {
    if (instruction.code == Code::note) return;
    if (instruction.code == Code::store) return store(instruction);
    if (instruction.code == Code::set) {
      variables_[instruction.variable] = values_[instruction.operands[0]];
      return;
    }
    values_[instruction.result] = value_of(instruction);
  }

  LLVMValueRef value_of(const Instruction& instruction) {
    const Type type = program_.registers[instruction.result];
    const auto operand = [&](int index) { return values_[instruction.operands[index]]; };
    LLVMTypeRef own = llvm_type(type);
    switch (instruction.code) {
      case Code::constant:
        return instruction.numbers.empty() ? constant(type, instruction.number)
                                           : constant(type.scalar, instruction.numbers);
      case Code::splat:
        return splat(type, operand(0));
      case Code::count:
        return count(type, instruction.address.index);
      case Code::load:
        return load(instruction);
      case Code::get:
        return variables_[instruction.variable];
      case Code::add:
        return is_real(type) ? LLVMBuildFAdd(builder_, operand(0), operand(1), "")
                             : LLVMBuildAdd(builder_, operand(0), operand(1), "");
      case Code::subtract:
        return is_real(type) ? LLVMBuildFSub(builder_, operand(0), operand(1), "")
                             : LLVMBuildSub(builder_, operand(0), operand(1), "");
      case Code::multiply:
        return is_real(type) ? LLVMBuildFMul(builder_, operand(0), operand(1), "")
                             : LLVMBuildMul(builder_, operand(0), operand(1), "");
      case Code::divide:
        return LLVMBuildFDiv(builder_, operand(0), operand(1), "");
      case Code::multiply_add:
        return call("llvm.fma", {own}, {operand(0), operand(1), operand(2)});
      case Code::square_root:
        return call("llvm.sqrt", {own}, {operand(0)});
      case Code::less:
        return LLVMBuildFCmp(builder_, LLVMRealOLT, operand(0), operand(1), "");
      case Code::equal:
        return LLVMBuildICmp(builder_, LLVMIntEQ, operand(0), operand(1), "");
      case Code::select:
        return LLVMBuildSelect(builder_, operand(0), operand(1), operand(2), "");
      case Code::round:
        return call("llvm.roundeven", {own}, {operand(0)});
      case Code::power_of_two:
        return power_of_two(type, operand(0));
      case Code::convert:
        return convert(program_.registers[instruction.operands[0]], type, operand(0));
      case Code::lane:
        return LLVMBuildExtractElement(builder_, operand(0),
                                       LLVMConstInt(integer(32), static_cast<unsigned>(instruction.indices[0]), 0), "");
      case Code::shuffle:
        return shuffle(operand(0), operand(1), instruction.indices);
      case Code::store:
      case Code::set:
      case Code::note:
        break;
    }
    return nullptr;
  }

  LLVMContextRef context_;
  const Program& program_;
  int vector_bits_;
  LLVMModuleRef module_;
  LLVMBuilderRef builder_;
  LLVMValueRef function_ = nullptr;
  LLVMValueRef steps_ = nullptr;
  std::vector<LLVMValueRef> arrays_;
  std::vector<LLVMValueRef> own_scope_;
  std::vector<LLVMValueRef> other_scopes_;
  int unique_ = 0;
  std::vector<LLVMValueRef> values_;     // by register
  std::vector<LLVMValueRef> variables_;  // by variable: its value where the emitter is; null before it is set
  std::vector<LLVMValueRef> counters_;   // by loop
};

void initialise_once() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  static_cast<void>(done);
}

// Of this processor. LLVM does not know every processor by name; its features it can always tell.
LLVMTargetMachineRef make_machine(std::string& error) {
  char* triple = LLVMGetDefaultTargetTriple();
  char* features = LLVMGetHostCPUFeatures();
  char* name = LLVMGetHostCPUName();
  const std::string processor = std::string(name) == "generic" ? "x86-64-v3" : name;
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  LLVMTargetMachineRef machine = nullptr;
  if (LLVMGetTargetFromTriple(triple, &target, &message) != 0) {
    error = taken(message);
  } else {
    machine = LLVMCreateTargetMachine(target, triple, processor.c_str(), features, LLVMCodeGenLevelDefault,
                                      LLVMRelocDefault, LLVMCodeModelJITDefault);
    if (machine == nullptr) error = "no code generator for " + processor;
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(features);
  LLVMDisposeMessage(name);
  return machine;
}

class OrcCompiled final : public Compiled {
 public:
  explicit OrcCompiled(LLVMOrcLLJITRef jit) : jit_(jit) {}
  ~OrcCompiled() override { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit_)); }

 private:
  LLVMOrcLLJITRef jit_;
};

void list(LLVMModuleRef module, Listing& listing) {
  listing.intermediate = taken(LLVMPrintModuleToString(module));
  std::string error;
  LLVMTargetMachineRef machine = make_machine(error);
  if (machine == nullptr) return;
  // Code generation changes what it is given.
  LLVMModuleRef copy = LLVMCloneModule(module);
  LLVMMemoryBufferRef buffer = nullptr;
  char* message = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, copy, LLVMAssemblyFile, &message, &buffer) == 0) {
    listing.assembly.assign(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
  } else {
    listing.assembly = taken(message);
  }
  LLVMDisposeModule(copy);
  LLVMDisposeTargetMachine(machine);
}

}  // namespace

const char* compiler_version() { return "LLVM " LLVM_VERSION_STRING; }

std::unique_ptr<Compiled> compile(const Program& program, int vector_bits, Listing* listing, std::string& error) {
  initialise_once();
  LLVMTargetMachineRef machine = make_machine(error);
  if (machine == nullptr) return nullptr;
  LLVMOrcLLJITBuilderRef settings = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(settings,
                                                LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  LLVMOrcLLJITRef jit = nullptr;
  if (LLVMErrorRef failed = LLVMOrcCreateLLJIT(&jit, settings)) {
    error = taken(failed);
    return nullptr;
  }
  auto compiled = std::make_unique<OrcCompiled>(jit);

  LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = Emitter(LLVMOrcThreadSafeContextGetContext(owner), program, vector_bits).emit();
  LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
  char* broken = nullptr;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &broken) != 0) error = taken(broken);
  if (error.empty() && listing != nullptr) list(module, *listing);
  LLVMOrcThreadSafeModuleRef wrapped = LLVMOrcCreateNewThreadSafeModule(module, owner);
  LLVMOrcDisposeThreadSafeContext(owner);
  if (!error.empty()) {
    LLVMOrcDisposeThreadSafeModule(wrapped);
    return nullptr;
  }
  if (LLVMErrorRef failed = LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), wrapped)) {
    error = taken(failed);
    return nullptr;
  }
  std::uint64_t address = 0;
  if (LLVMErrorRef failed = LLVMOrcLLJITLookup(jit, &address, kEntry)) {
    error = taken(failed);
    return nullptr;
  }
  compiled->function = reinterpret_cast<Function>(address);
  return compiled;
}

}  // namespace gdbench::kernels::jit
