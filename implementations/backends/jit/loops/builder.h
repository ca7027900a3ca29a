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

  Register constant(Type type, double number);
  Register constant(Scalar scalar, std::vector<double> lanes);
  // The same scalar in `lanes` lanes; a scalar is its own splat in one.
  Register splat(Register scalar, int lanes);
  // first, first + 1, ... as i32.
  Register whole_numbers(const Affine& first, int lanes);
  // `lanes` elements from `address` on, of which the first `active` are read.
  Register load(const Address& address, int lanes, int active);
  Register load(const Address& address, int lanes) { return load(address, lanes, lanes); }
  void store(const Address& address, Register value, int active);
  void store(const Address& address, Register value) { store(address, value, type_of(value).lanes); }
  Register get(VariableId variable);
  void set(VariableId variable, Register value);

  Register add(Register a, Register b) { return binary(Code::add, a, b); }
  Register subtract(Register a, Register b) { return binary(Code::subtract, a, b); }
  Register multiply(Register a, Register b) { return binary(Code::multiply, a, b); }
  Register divide(Register a, Register b) { return binary(Code::divide, a, b); }
  Register multiply_add(Register a, Register b, Register c);
  // -0 - a, which every code generator knows for a change of sign.
  Register negate(Register a) { return subtract(constant(type_of(a), -0.0), a); }
  Register square_root(Register a) { return unary(Code::square_root, type_of(a), a); }
  Register less(Register a, Register b) { return compare(Code::less, a, b); }
  Register equal(Register a, Register b) { return compare(Code::equal, a, b); }
  Register select(Register condition, Register yes, Register no);
  Register round(Register a) { return unary(Code::round, type_of(a), a); }
  Register power_of_two(Register a) { return unary(Code::power_of_two, type_of(a), a); }
  Register convert(Register a, Scalar scalar);
  Register lane(Register vector, int index);
  Register shuffle(Register a, Register b, std::vector<int> indices);
  void prefetch(const Address& address);
  // See Code::fence.
  void fence();
  // `argument`: where the function is that threads wait in.
  void meet(std::size_t argument);
  void note(std::string text);

  // The sum of a vector's lanes, its halves first: for 4 lanes (v0 + v2) + (v1 + v3).
  Register sum_of_lanes(Register vector);
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
  Register emit(Instruction instruction, Type type);
  void emit(Instruction instruction);
  Register unary(Code code, Type type, Register a);
  Register binary(Code code, Register a, Register b);
  Register compare(Code code, Register a, Register b);
  // By halves, with `combine` of two vectors.
  template <class Combine>
  Register reduce(Register vector, const Combine& combine);
  LoopId open(Loop loop);
  void close() { blocks_.pop_back(); }

  Program& program_;
  std::vector<Block*> blocks_;  // the one that is written, and those around it
};

}  // namespace gdbench::backends::jit
