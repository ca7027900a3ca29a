#include "implementations/backends/jit/loops/builder.h"

#include <numeric>

namespace gdbench::backends::jit {

namespace {

Instruction instruction_of(Code code, std::initializer_list<Register> operands) {
  Instruction instruction;
  instruction.code = code;
  for (const Register operand : operands) instruction.operands[instruction.operand_count++] = operand;
  return instruction;
}

}  // namespace

ArrayId Builder::array(Array array) {
  program_.arrays.push_back(std::move(array));
  return static_cast<ArrayId>(program_.arrays.size() - 1);
}

VariableId Builder::variable(Type type) {
  program_.variables.push_back(type);
  return static_cast<VariableId>(program_.variables.size() - 1);
}

void Builder::emit(Instruction instruction) { blocks_.back()->push_back({std::move(instruction), nullptr}); }

Register Builder::emit(Instruction instruction, Type type) {
  instruction.result = static_cast<Register>(program_.registers.size());
  program_.registers.push_back(type);
  emit(std::move(instruction));
  return static_cast<Register>(program_.registers.size() - 1);
}

LoopId Builder::open(Loop loop) {
  const LoopId id = program_.loops++;
  loop.id = id;
  Statement statement;
  statement.loop = std::make_unique<Loop>(std::move(loop));
  Block& body = statement.loop->body;
  blocks_.back()->push_back(std::move(statement));
  blocks_.push_back(&body);
  return id;
}

Register Builder::unary(Code code, Type type, Register a) { return emit(instruction_of(code, {a}), type); }

Register Builder::binary(Code code, Register a, Register b) { return emit(instruction_of(code, {a, b}), type_of(a)); }

Register Builder::compare(Code code, Register a, Register b) {
  return emit(instruction_of(code, {a, b}), {Scalar::boolean, type_of(a).lanes});
}

Register Builder::constant(Type type, double number) {
  Instruction instruction = instruction_of(Code::constant, {});
  instruction.number = number;
  return emit(std::move(instruction), type);
}

Register Builder::constant(Scalar scalar, std::vector<double> lanes) {
  Instruction instruction = instruction_of(Code::constant, {});
  const Type type{scalar, static_cast<int>(lanes.size())};
  instruction.numbers = std::move(lanes);
  return emit(std::move(instruction), type);
}

Register Builder::splat(Register scalar, int lanes) {
  if (lanes == 1) return scalar;
  return unary(Code::splat, {type_of(scalar).scalar, lanes}, scalar);
}

Register Builder::whole_numbers(const Affine& first, int lanes) {
  Instruction instruction = instruction_of(Code::count, {});
  instruction.address.index = first;
  return emit(std::move(instruction), {Scalar::i32, lanes});
}

Register Builder::load(const Address& address, int lanes, int active) {
  Instruction instruction = instruction_of(Code::load, {});
  instruction.address = address;
  instruction.active = active;
  return emit(std::move(instruction), {program_.arrays[address.array].element, lanes});
}

void Builder::store(const Address& address, Register value, int active) {
  Instruction instruction = instruction_of(Code::store, {value});
  instruction.address = address;
  instruction.active = active;
  emit(std::move(instruction));
}

Register Builder::get(VariableId variable) {
  Instruction instruction = instruction_of(Code::get, {});
  instruction.variable = variable;
  return emit(std::move(instruction), program_.variables[variable]);
}

void Builder::set(VariableId variable, Register value) {
  Instruction instruction = instruction_of(Code::set, {value});
  instruction.variable = variable;
  emit(std::move(instruction));
}

Register Builder::multiply_add(Register a, Register b, Register c) {
  return emit(instruction_of(Code::multiply_add, {a, b, c}), type_of(a));
}

Register Builder::select(Register condition, Register yes, Register no) {
  return emit(instruction_of(Code::select, {condition, yes, no}), type_of(yes));
}

Register Builder::convert(Register a, Scalar scalar) {
  const Type type = type_of(a);
  return type.scalar == scalar ? a : unary(Code::convert, {scalar, type.lanes}, a);
}

Register Builder::lane(Register vector, int index) {
  const Type type = type_of(vector);
  if (type.lanes == 1) return vector;
  Instruction instruction = instruction_of(Code::lane, {vector});
  instruction.indices = {index};
  return emit(std::move(instruction), {type.scalar, 1});
}

Register Builder::shuffle(Register a, Register b, std::vector<int> indices) {
  Instruction instruction = instruction_of(Code::shuffle, {a, b});
  const Type type = {type_of(a).scalar, static_cast<int>(indices.size())};
  instruction.indices = std::move(indices);
  return emit(std::move(instruction), type);
}

void Builder::prefetch(const Address& address) {
  Instruction instruction = instruction_of(Code::prefetch, {});
  instruction.address = address;
  emit(std::move(instruction));
}

void Builder::fence() { emit(instruction_of(Code::fence, {})); }

void Builder::meet(std::size_t argument) {
  program_.meeting_argument = argument;
  emit(instruction_of(Code::meet, {}));
}

void Builder::note(std::string text) {
  Instruction instruction = instruction_of(Code::note, {});
  instruction.text = std::move(text);
  emit(std::move(instruction));
}

template <class Combine>
Register Builder::reduce(Register vector, const Combine& combine) {
  for (int lanes = type_of(vector).lanes; lanes > 1; lanes /= 2) {
    std::vector<int> low(static_cast<std::size_t>(lanes / 2));
    std::iota(low.begin(), low.end(), 0);
    std::vector<int> high = low;
    for (int& index : high) index += lanes / 2;
    const Register upper = shuffle(vector, vector, std::move(high));
    vector = combine(shuffle(vector, vector, std::move(low)), upper);
  }
  return lane(vector, 0);
}

Register Builder::sum_of_lanes(Register vector) {
  return reduce(vector, [this](Register a, Register b) { return add(a, b); });
}

Register Builder::maximum_of_lanes(Register vector) {
  return reduce(vector, [this](Register a, Register b) { return maximum(a, b); });
}

}  // namespace gdbench::backends::jit
