// Writes programs: one function per instruction, a loop as a function of its counter. What is constant is folded, and a
// loop that runs once is none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

class Builder {
 public:
  // Appends to `program`.
  explicit Builder(Program& program) : program_(program), blocks_{&program.body} {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Type type_of(Register value) const { return program_.registers[value]; }
  Scalar element_of(ArrayId array) const { return program_.arrays[array].element; }

  ArrayId array(Array array);
  VariableId variable(Type type);

  Register constant(Type type, double number) { return emit(type, {.code = Code::constant, .number = number}); }
  Register constant(Scalar scalar, std::vector<double> lanes);
  // The same scalar in `lanes` lanes; a scalar is its own splat in one.
  Register splat(Register scalar, int lanes);
  // first, first + 1, ... as i32.
  Register whole_numbers(const Affine& first, int lanes) {
    return emit({Scalar::i32, lanes}, {.code = Code::count, .address = {.index = first}});
  }
  // `lanes` elements from `address` on, of which the first `active` are read.
  Register load(const Address& address, int lanes, int active);
  Register load(const Address& address, int lanes) { return load(address, lanes, lanes); }
  void store(const Address& address, Register value, int active) {
    emit({.code = Code::store, .operands = {value}, .address = address, .active = active});
  }
  void store(const Address& address, Register value) { store(address, value, type_of(value).lanes); }
  Register get(VariableId variable) {
    return emit(program_.variables[variable], {.code = Code::get, .variable = variable});
  }
  void set(VariableId variable, Register value) {
    emit({.code = Code::set, .operands = {value}, .variable = variable});
  }

  Register add(Register a, Register b) { return emit(type_of(a), {.code = Code::add, .operands = {a, b}}); }
  Register subtract(Register a, Register b) { return emit(type_of(a), {.code = Code::subtract, .operands = {a, b}}); }
  Register multiply(Register a, Register b) { return emit(type_of(a), {.code = Code::multiply, .operands = {a, b}}); }
  Register divide(Register a, Register b) { return emit(type_of(a), {.code = Code::divide, .operands = {a, b}}); }
  Register multiply_add(Register a, Register b, Register c) {
    return emit(type_of(a), {.code = Code::multiply_add, .operands = {a, b, c}});
  }
  // -0 - a, which every code generator knows for a change of sign.
  Register negate(Register a) { return subtract(constant(type_of(a), -0.0), a); }
  Register square_root(Register a) { return emit(type_of(a), {.code = Code::square_root, .operands = {a}}); }
  Register reciprocal_estimate(Register a) {
    return emit(type_of(a), {.code = Code::reciprocal_estimate, .operands = {a}});
  }
  Register reciprocal_root_estimate(Register a) {
    return emit(type_of(a), {.code = Code::reciprocal_root_estimate, .operands = {a}});
  }
  Register less(Register a, Register b) { return compare(Code::less, a, b); }
  Register equal(Register a, Register b) { return compare(Code::equal, a, b); }
  Register select(Register condition, Register yes, Register no) {
    return emit(type_of(yes), {.code = Code::select, .operands = {condition, yes, no}});
  }
  Register round(Register a) { return emit(type_of(a), {.code = Code::round, .operands = {a}}); }
  Register power_of_two(Register a) { return emit(type_of(a), {.code = Code::power_of_two, .operands = {a}}); }
  Register convert(Register a, Scalar scalar);
  Register lane(Register vector, int index);
  Register shuffle(Register a, Register b, std::vector<int> indices);
  Register narrow(Register a) { return emit(type_of(a), {.code = Code::narrow, .operands = {a}}); }
  Register pair_lanes(Register a, Register b) {
    return emit({Scalar::i32, type_of(a).lanes}, {.code = Code::pair_lanes, .operands = {a, b}});
  }
  Register pair_neighbours(Register a, Register b) {
    return emit({Scalar::i32, type_of(a).lanes}, {.code = Code::pair_neighbours, .operands = {a, b}});
  }
  Register add_pairs(Register a, Register b, Register c) {
    return emit(type_of(c), {.code = Code::add_pairs, .operands = {a, b, c}});
  }
  void tile_zero(int tile) { emit({.code = Code::tile_zero, .tiles = {tile}}); }
  void tile_load(int tile, const Address& address, std::int64_t row_stride) {
    emit({.code = Code::tile_load, .address = address, .row_stride = row_stride, .tiles = {tile}});
  }
  void tile_store(int tile, const Address& address, std::int64_t row_stride) {
    emit({.code = Code::tile_store, .address = address, .row_stride = row_stride, .tiles = {tile}});
  }
  void tile_multiply(int sums, int a, int b) { emit({.code = Code::tile_multiply, .tiles = {sums, a, b}}); }
  void prefetch(const Address& address) { emit({.code = Code::prefetch, .address = address}); }
  void prefetch_into_second_cache(const Address& address) {
    emit({.code = Code::prefetch, .address = address, .number = 2});
  }
  // See Code::fence.
  void fence() { emit({.code = Code::fence}); }
  // `argument`: where the function is that threads wait in.
  void meet(std::size_t argument);
  void note(std::string text) { emit({.code = Code::note, .text = std::move(text)}); }

  Register maximum(Register a, Register b) { return select(less(a, b), b, a); }
  Register maximum_of_lanes(Register vector);

  // body(counter) for begin, begin + step, ... below end; nothing where there is none.
  template <class Body>
  void loop(std::int64_t begin, std::int64_t end, std::int64_t step, const Body& body) {
    if (begin >= end) return;
    if (begin + step >= end) {
      body(Affine(begin));
      return;
    }
    const LoopId id = open({.begin = begin, .end = end, .step = step});
    body(Affine::counter(id));
    close();
  }
  // body(counter) for every step of a run.
  template <class Body>
  void steps(const Body& body) {
    const LoopId id = open({.over_steps = true});
    body(Affine::counter(id));
    close();
  }

 private:
  Register emit(Type type, Instruction instruction);
  void emit(Instruction instruction);
  Register compare(Code code, Register a, Register b) {
    return emit({Scalar::boolean, type_of(a).lanes}, {.code = code, .operands = {a, b}});
  }
  LoopId open(Loop loop);
  void close() { blocks_.pop_back(); }

  Program& program_;
  std::vector<Block*> blocks_;  // the one that is written, and those around it
};

// A vector whose lane i is the sum of the lanes of vectors[i], of which there are at most as many as a vector has
// lanes. It has as many lanes as there are vectors, rounded up to a power of two; those beyond are unused. Halves are
// added first: for 4 lanes (v0 + v2) + (v1 + v3).
Register sums_of_lanes(Builder& builder, std::vector<Register> vectors);

// A vector of as many lanes as theirs, whose lane i is the sum of the lanes of vectors[i % n]. There are n of them, a
// power of two and at most as many as a vector has lanes.
Register repeated_sums_of_lanes(Builder& builder, std::vector<Register> vectors);

// Vector i of the lanes i of the vectors, of which there are as many as one has lanes.
std::vector<Register> transposed(Builder& builder, std::vector<Register> vectors);

}  // namespace gdbench::backends::jit
