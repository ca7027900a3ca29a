// A program of loops over arrays, as data: what a region is lowered to, and what is compiled, printed and checked.
//
// An instruction sets a register, once; what is set again and again (accumulators, parameters that stay in registers
// over all steps) is a variable. Loops have constant bounds, except for the one over steps, and addresses are sums of
// multiples of their counters, so that all accesses can be proven to lie inside their arrays in advance (check.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::backends::jit {

using catalogue::name_of;

enum class Scalar : std::uint8_t { f32, f64, i32, i64, boolean };

std::size_t bytes_of(Scalar scalar);
inline constexpr catalogue::Named<Scalar> kScalarTypes[] = {{Scalar::f32, "f32"},
                                                            {Scalar::f64, "f64"},
                                                            {Scalar::i32, "i32"},
                                                            {Scalar::i64, "i64"},
                                                            {Scalar::boolean, "boolean"}};
constexpr const auto& rows_of(Scalar /*any*/) { return kScalarTypes; }

struct Type {
  Scalar scalar = Scalar::f32;
  int lanes = 1;
  bool operator==(const Type&) const = default;
};

using Register = std::uint32_t;
using VariableId = std::uint32_t;
using LoopId = std::uint32_t;
using ArrayId = std::uint32_t;

// constant + sum of coefficients x counters of loops.
struct Affine {
  Affine(std::int64_t value = 0) : constant(value) {}  // NOLINT(google-explicit-constructor): a number is an index
  static Affine counter(LoopId loop);

  std::int64_t constant;
  std::vector<std::pair<LoopId, std::int64_t>> terms;  // ascending loops, coefficients other than 0
};
Affine operator+(Affine a, const Affine& b);
Affine operator*(Affine a, std::int64_t factor);

// A part of one of the function's arguments. Arrays do not overlap.
struct Array {
  std::string name;
  Scalar element = Scalar::f32;
  std::size_t argument = 0;
  std::int64_t offset = 0;    // bytes from where the argument points to
  std::int64_t size = 0;      // in elements, counted from an address's base; kPerStep: so many for each step
  std::size_t alignment = 0;  // of its first element, in bytes
};
constexpr std::int64_t kPerStep = -1;

struct Address {
  ArrayId array = 0;
  Affine index;                       // in elements
  std::optional<Register> base = {};  // i64: elements that are added; only the caller knows their range
};

enum class Code : std::uint8_t {
  constant,  // `number` in all lanes, or `numbers`
  splat,     // a scalar in all lanes
  count,     // i32: `address.index` and the numbers that follow, lane by lane
  load,      // from `address` on; lanes from `active` on are zero and not read
  store,     // operand 0; lanes from `active` on are not written
  get,       // a variable's value
  set,       // a variable to operand 0
  add,
  subtract,
  multiply,
  divide,
  multiply_add,  // a b + c, rounded once
  square_root,
  reciprocal_estimate,       // of f32 in vectors of 4, 8 or 16: 1 / a, off by less than 2^-14 of it
  reciprocal_root_estimate,  // the same of 1 / sqrt(a)
  less,                      // a < b, lane by lane; false where one is a NaN
  equal,                     // of integers
  select,                    // operand 0 ? operand 1 : operand 2, lane by lane
  round,                     // to the nearest whole number, ties to even
  power_of_two,              // 2^a of a whole number in the range of normal numbers
  convert,                   // between scalars, a number to the nearest one
  lane,                      // number `indices[0]`, as a scalar
  shuffle,                   // lanes `indices` of operand 0 followed by operand 1
  narrow,                    // of f32 to the nearest bfloat16, ties to even
  pair_lanes,       // i32 of two such: lane i's lower half of operand 0's lane i, its upper half of operand 1's
  pair_neighbours,  // likewise of lanes 2i and 2i + 1 of operand 0, and behind them of operand 1
  add_pairs,        // c + the products of both halves of 16 lanes a and b (pairs of bfloat16), in f32
  tile_zero,        // tile `tiles[0]` becomes 0
  tile_load,        // tile `tiles[0]`: its rows begin at `address`, `row_stride` elements apart
  tile_store,       // likewise
  tile_multiply,    // floats of tile [0] += pairs of tile [1] x pairs of tile [2], as text.cpp has it in C++
  prefetch,         // what lies at `address`, which may be behind the end of its array, will be read soon: into the
                    // second cache alone where `number` is 2
  fence,            // what was loaded before is loaded anew behind it, instead of being kept in registers
  meet,             // waits for the other threads that run the same steps
  note,             // `text`, for readers
};

constexpr int kLeastLanesOfEstimates = 4;
constexpr int kLanesOfPairs = 16;
// AMX's tiles: registers of kTileRows rows of kTileColumns pairs of bfloat16 or floats.
constexpr int kTiles = 8;
constexpr std::int64_t kTileRows = 16;
constexpr std::int64_t kTileColumns = 16;
constexpr int kLineBytes = 64;  // of a line of a cache

struct CodeRow {
  Code value;
  const char* name;
  std::size_t operands;
  bool has_result;
};
inline constexpr CodeRow kCodes[] = {{Code::constant, "constant", 0, true},
                                     {Code::splat, "splat", 1, true},
                                     {Code::count, "count", 0, true},
                                     {Code::load, "load", 0, true},
                                     {Code::store, "store", 1, false},
                                     {Code::get, "get", 0, true},
                                     {Code::set, "set", 1, false},
                                     {Code::add, "add", 2, true},
                                     {Code::subtract, "subtract", 2, true},
                                     {Code::multiply, "multiply", 2, true},
                                     {Code::divide, "divide", 2, true},
                                     {Code::multiply_add, "multiply_add", 3, true},
                                     {Code::square_root, "square_root", 1, true},
                                     {Code::reciprocal_estimate, "reciprocal_estimate", 1, true},
                                     {Code::reciprocal_root_estimate, "reciprocal_root_estimate", 1, true},
                                     {Code::less, "less", 2, true},
                                     {Code::equal, "equal", 2, true},
                                     {Code::select, "select", 3, true},
                                     {Code::round, "round", 1, true},
                                     {Code::power_of_two, "power_of_two", 1, true},
                                     {Code::convert, "convert", 1, true},
                                     {Code::lane, "lane", 1, true},
                                     {Code::shuffle, "shuffle", 2, true},
                                     {Code::narrow, "narrow", 1, true},
                                     {Code::pair_lanes, "pair_lanes", 2, true},
                                     {Code::pair_neighbours, "pair_neighbours", 2, true},
                                     {Code::add_pairs, "add_pairs", 3, true},
                                     {Code::tile_zero, "tile_zero", 0, false},
                                     {Code::tile_load, "tile_load", 0, false},
                                     {Code::tile_store, "tile_store", 0, false},
                                     {Code::tile_multiply, "tile_multiply", 0, false},
                                     {Code::prefetch, "prefetch", 0, false},
                                     {Code::fence, "fence", 0, false},
                                     {Code::meet, "meet", 0, false},
                                     {Code::note, "note", 0, false}};
constexpr const auto& rows_of(Code /*any*/) { return kCodes; }

struct Instruction {
  Code code = Code::note;
  Register result = 0;  // if it has one
  Register operands[3] = {};
  VariableId variable = 0;
  Address address = Address();
  int active = 0;
  std::int64_t row_stride = 0;
  std::array<int, 3> tiles = {};
  double number = 0;
  std::vector<double> numbers = {};
  std::vector<int> indices = {};
  std::string text = {};

  bool has_tiles() const { return code >= Code::tile_zero && code <= Code::tile_multiply; }
  bool has_result() const { return catalogue::row_of(code).has_result; }
  // The registers that it reads, except for its address's base.
  std::span<const Register> inputs() const { return {operands, catalogue::row_of(code).operands}; }
  std::span<Register> inputs() { return {operands, catalogue::row_of(code).operands}; }
};

struct Loop;
// Either an instruction or a loop.
struct Statement {
  Instruction instruction;
  std::unique_ptr<Loop> loop;
};
using Block = std::vector<Statement>;

// Runs at least once.
struct Loop {
  LoopId id = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;  // exclusive
  std::int64_t step = 1;
  bool over_steps = false;  // from 0 to the number of steps, which is the function's argument; `end` means nothing
  Block body = {};

  std::int64_t rounds() const { return (end - begin + step - 1) / step; }
  // The counter's last value.
  std::int64_t last() const { return begin + (rounds() - 1) * step; }
};

struct Program {
  std::string name;
  std::vector<Array> arrays;
  std::vector<Type> registers;
  std::vector<Type> variables;
  LoopId loops = 0;
  std::size_t meeting_argument = 0;  // of a program that meets: a function, and behind it what the function is given
  Block body = {};
};

}  // namespace gdbench::backends::jit
