#include "implementations/backends/jit/loops/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

namespace gdbench::backends::jit {
namespace {

constexpr const char* kFunctions = R"(#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace program {

using f32 = float;
using f64 = double;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Lanes of E; a vector in a register where E's size times N is a vector's.
template <class E, int N>
struct Vector {
  E lanes[N];
};

template <class E, int N, class F>
Vector<E, N> each(F f) {
  Vector<E, N> result;
  for (int i = 0; i < N; ++i) result.lanes[i] = f(i);
  return result;
}

template <class E, int N> Vector<E, N> splat(E a) { return each<E, N>([&](int) { return a; }); }
template <class E, int N> Vector<E, N> count(i64 first) { return each<E, N>([&](int i) { return E(first + i); }); }
// Lanes from `active` on are zero and not read, or not written.
template <class E, int N> Vector<E, N> load(const E* from, int active = N) {
  return each<E, N>([&](int i) { return i < active ? from[i] : E(0); });
}
template <class E, int N> void store(E* to, Vector<E, N> a, int active = N) {
  for (int i = 0; i < active; ++i) to[i] = a.lanes[i];
}
inline f32 multiply_add(f32 a, f32 b, f32 c) { return std::fma(a, b, c); }
inline f64 multiply_add(f64 a, f64 b, f64 c) { return std::fma(a, b, c); }
template <class E> E add(E a, E b) { return a + b; }
template <class E> E subtract(E a, E b) { return a - b; }
template <class E> E multiply(E a, E b) { return a * b; }
template <class E> E divide(E a, E b) { return a / b; }
template <class E> bool less(E a, E b) { return a < b; }
template <class E> bool equal(E a, E b) { return a == b; }
template <class E> E select(bool condition, E yes, E no) { return condition ? yes : no; }
inline f32 square_root(f32 a) { return std::sqrt(a); }
inline f64 square_root(f64 a) { return std::sqrt(a); }
inline f32 round(f32 a) { return std::nearbyint(a); }
inline f64 round(f64 a) { return std::nearbyint(a); }
inline f32 power_of_two(f32 a) { return std::bit_cast<f32>(std::bit_cast<i32>(a + (0x1.8p23f + 127)) << 23); }
inline f64 power_of_two(f64 a) { return std::bit_cast<f64>(std::bit_cast<i64>(a + (0x1.8p52 + 1023)) << 52); }

#define LANES_1(name) \
  template <class E, int N> Vector<E, N> name(Vector<E, N> a) { return each<E, N>([&](int i) { return name(a.lanes[i]); }); }
#define LANES_2(name, R)                                            \
  template <class E, int N> Vector<R, N> name(Vector<E, N> a, Vector<E, N> b) { \
    return each<R, N>([&](int i) { return name(a.lanes[i], b.lanes[i]); });     \
  }
LANES_1(square_root)
LANES_1(round)
LANES_1(power_of_two)
LANES_2(add, E)
LANES_2(subtract, E)
LANES_2(multiply, E)
LANES_2(divide, E)
LANES_2(less, bool)
LANES_2(equal, bool)
template <class E, int N> Vector<E, N> multiply_add(Vector<E, N> a, Vector<E, N> b, Vector<E, N> c) {
  return each<E, N>([&](int i) { return multiply_add(a.lanes[i], b.lanes[i], c.lanes[i]); });
}
template <class E, int N> Vector<E, N> select(Vector<bool, N> condition, Vector<E, N> yes, Vector<E, N> no) {
  return each<E, N>([&](int i) { return condition.lanes[i] ? yes.lanes[i] : no.lanes[i]; });
}
template <class T, class E, int N> Vector<T, N> convert(Vector<E, N> a) {
  return each<T, N>([&](int i) { return T(a.lanes[i]); });
}
// Bits of the nearest bfloat16, ties to even, in the upper half; the lower one is 0.
inline i32 upper_half(f32 a) {
  const auto bits = std::bit_cast<std::uint32_t>(a);
  return std::bit_cast<i32>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}
inline i32 pair(f32 a, f32 b) { return std::bit_cast<i32>(std::bit_cast<std::uint32_t>(upper_half(a)) >> 16) | upper_half(b); }
inline f32 narrow(f32 a) { return std::bit_cast<f32>(upper_half(a)); }
template <int N> Vector<f32, N> narrow(Vector<f32, N> a) { return each<f32, N>([&](int i) { return narrow(a.lanes[i]); }); }
template <int N> Vector<i32, N> pair_lanes(Vector<f32, N> a, Vector<f32, N> b) {
  return each<i32, N>([&](int i) { return pair(a.lanes[i], b.lanes[i]); });
}
template <int N> Vector<i32, N> pair_neighbours(Vector<f32, N> a, Vector<f32, N> b) {
  return each<i32, N>([&](int i) {
    const Vector<f32, N>& from = i < N / 2 ? a : b;
    return pair(from.lanes[2 * i % N], from.lanes[2 * i % N + 1]);
  });
}
inline f32 first_of(i32 pair) { return std::bit_cast<f32>(std::bit_cast<std::uint32_t>(pair) << 16); }
inline f32 second_of(i32 pair) { return std::bit_cast<f32>(std::bit_cast<std::uint32_t>(pair) & 0xffff0000u); }
template <int N> Vector<f32, N> add_pairs(Vector<i32, N> a, Vector<i32, N> b, Vector<f32, N> c) {
  return each<f32, N>([&](int i) {
    return c.lanes[i] + first_of(a.lanes[i]) * first_of(b.lanes[i]) + second_of(a.lanes[i]) * second_of(b.lanes[i]);
  });
}
// Of AMX, whose arithmetic takes denormal numbers for 0 and makes none.
struct Tile {
  std::uint32_t rows[16][16];
};
inline Tile tiles[8];
inline f32 flushed(f32 a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
inline void tile_zero(int tile) { tiles[tile] = {}; }
template <class E> void tile_load(int tile, const E* from, i64 stride) {
  for (int i = 0; i < 16; ++i) std::memcpy(tiles[tile].rows[i], from + i * stride, 64);
}
template <class E> void tile_store(int tile, E* to, i64 stride) {
  for (int i = 0; i < 16; ++i) std::memcpy(to + i * stride, tiles[tile].rows[i], 64);
}
inline void tile_multiply(int sums, int a, int b) {
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      f32 first = 0, second = 0;
      for (int k = 0; k < 16; ++k) {
        const i32 x = i32(tiles[a].rows[i][k]), y = i32(tiles[b].rows[k][j]);
        first = flushed(std::fma(flushed(first_of(x)), flushed(first_of(y)), first));
        second = flushed(std::fma(flushed(second_of(x)), flushed(second_of(y)), second));
      }
      const f32 sum = flushed(std::bit_cast<f32>(tiles[sums].rows[i][j])) + flushed(first + second);
      tiles[sums].rows[i][j] = std::bit_cast<std::uint32_t>(flushed(sum));
    }
  }
}
template <int... lanes, class E, int N> Vector<E, sizeof...(lanes)> shuffle(Vector<E, N> a, Vector<E, N> b) {
  return {{(lanes < N ? a.lanes[lanes % N] : b.lanes[lanes % N])...}};
}
)";

// Of processors with AVX-512, whose estimates differ in their last bits.
constexpr const char* kEstimates = R"(
__attribute__((target("avx512f"))) inline f32 reciprocal_estimate(f32 a) {
  return _mm_cvtss_f32(_mm_rcp14_ss(_mm_set_ss(a), _mm_set_ss(a)));
}
__attribute__((target("avx512f"))) inline f32 reciprocal_root_estimate(f32 a) {
  return _mm_cvtss_f32(_mm_rsqrt14_ss(_mm_set_ss(a), _mm_set_ss(a)));
}
LANES_1(reciprocal_estimate)
LANES_1(reciprocal_root_estimate)
)";

std::string number_text(Scalar scalar, double value) {
  if (scalar != Scalar::f32 && scalar != Scalar::f64) {
    const std::string digits = std::to_string(static_cast<std::int64_t>(value));
    return scalar == Scalar::i64 ? "i64(" + digits + ")" : digits;  // functions take operands of one type
  }
  const char* suffix = scalar == Scalar::f32 ? "f" : "";
  if (std::isinf(value)) return std::string(value < 0 ? "-" : "") + "HUGE_VAL" + (scalar == Scalar::f32 ? "F" : "");
  char text[64];
  // Nine digits tell every float, 17 every double.
  const double rounded = scalar == Scalar::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  std::snprintf(text, sizeof text, "%.*g", scalar == Scalar::f32 ? 9 : 17, rounded);
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result + suffix;
}

std::string type_text(Type type) {
  const std::string scalar = type.scalar == Scalar::boolean ? "bool" : name_of(type.scalar);
  return type.lanes == 1 ? scalar : "Vector<" + scalar + ", " + std::to_string(type.lanes) + ">";
}

std::string lanes_text(Type type) { return std::string(name_of(type.scalar)) + ", " + std::to_string(type.lanes); }

// Where a program's registers are used: what a reader need not see, because it stands in one place only. Positions
// count a program's instructions as they stand, those of loops included.
class Uses {
 public:
  explicit Uses(const Program& program) : counts_(program.registers.size(), 0), last_(program.registers.size(), 0) {
    visit(program.body);
  }

  // Whether the register is used once, by the instruction that follows `position` and sets a variable.
  bool is_set_next(Register value, std::size_t position) const {
    return counts_[value] == 1 && last_[value] == position + 1 && sets_.contains(position + 1);
  }

  bool has(Code code) const { return codes_.contains(code); }

  // Whether the variable is still what a `get` at `position` read when `value`, its result, is used for the last time.
  bool is_unchanged(VariableId variable, Register value, std::size_t position) const {
    const auto sets = set_at_.find(variable);
    if (sets == set_at_.end()) return true;
    const auto next = std::ranges::upper_bound(sets->second, position);
    return next == sets->second.end() || *next >= last_[value];
  }

 private:
  void visit(const Block& block) {
    for (const Statement& statement : block) {
      if (statement.loop) {
        visit(statement.loop->body);
        continue;
      }
      const Instruction& instruction = statement.instruction;
      codes_.insert(instruction.code);
      const auto use = [&](Register value) {
        ++counts_[value];
        last_[value] = position_;
      };
      std::ranges::for_each(instruction.inputs(), use);
      if (instruction.address.base) use(*instruction.address.base);
      if (instruction.code == Code::set) {
        sets_.insert(position_);
        set_at_[instruction.variable].push_back(position_);
      }
      ++position_;
    }
  }

  std::size_t position_ = 0;
  std::vector<std::size_t> counts_;  // by register
  std::vector<std::size_t> last_;    // by register: the last use's position
  std::set<Code> codes_;
  std::set<std::size_t> sets_;                             // positions
  std::map<VariableId, std::vector<std::size_t>> set_at_;  // ascending
};

std::string active_text(const Instruction& instruction, Type type) {
  return instruction.active == type.lanes ? "" : ", " + std::to_string(instruction.active);
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), uses_(program), registers_(program.registers.size()) {}

  std::string run() {
    const bool estimates = uses_.has(Code::reciprocal_estimate) || uses_.has(Code::reciprocal_root_estimate);
    if (estimates) text_ = "#include <immintrin.h>\n";
    text_ += kFunctions;
    if (estimates) text_ += kEstimates;
    text_ += "\n// " + program_.name + "\nextern \"C\" void run(void* const* arguments, std::int64_t steps) {\n";
    depth_ = 1;
    for (const Array& array : program_.arrays) declare(array);
    declare_variables();
    print(program_.body);
    return text_ + "}\n\n}  // namespace program\n";
  }

 private:
  void line(const std::string& content) {
    text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + content + "\n";
  }
  // Those of one type side by side.
  void declare_variables() {
    constexpr VariableId kMost = 10;
    for (VariableId first = 0; first < program_.variables.size();) {
      const Type type = program_.variables[first];
      std::string names;
      VariableId next = first;
      while (next < program_.variables.size() && next < first + kMost && program_.variables[next] == type) {
        names += (next == first ? " " : ", ") + name(next);
        ++next;
      }
      line(type_text(type) + names + ";");
      first = next;
    }
  }

  static std::string name(VariableId variable) { return "sum" + std::to_string(variable); }
  static std::string counter(LoopId loop) { return "i" + std::to_string(loop); }

  void declare(const Array& array) {
    const std::string element = name_of(array.element);
    const std::string size = array.size == kPerStep ? "for each step" : std::to_string(array.size) + " entries";
    line("auto* " + array.name + " = reinterpret_cast<" + element + "*>(static_cast<char*>(arguments[" +
         std::to_string(array.argument) + "]) + " + std::to_string(array.offset) + ");  // " + size);
  }

  std::string index_text(const Affine& index) const {
    std::string text;
    for (const auto& [loop, coefficient] : index.terms) {
      text +=
          (text.empty() ? "" : " + ") + (coefficient == 1 ? "" : std::to_string(coefficient) + " * ") + counter(loop);
    }
    if (text.empty()) return std::to_string(index.constant);
    return index.constant == 0 ? text : text + " + " + std::to_string(index.constant);
  }
  std::string address_text(const Address& address) const {
    const std::string base = address.base ? registers_[*address.base] + " + " : "";
    return program_.arrays[address.array].name + " + " + base + index_text(address.index);
  }

  void print(const Block& block) {
    for (const Statement& statement : block) {
      if (!statement.loop) {
        print(statement.instruction);
        continue;
      }
      const Loop& loop = *statement.loop;
      const std::string i = counter(loop.id);
      const std::string begin = loop.over_steps ? "0" : std::to_string(loop.begin);
      const std::string end = loop.over_steps ? "steps" : std::to_string(loop.end);
      const std::string step = loop.over_steps || loop.step == 1 ? "++" + i : i + " += " + std::to_string(loop.step);
      line("for (i64 " + i + " = " + begin + "; " + i + " < " + end + "; " + step + ") {");
      ++depth_;
      print(loop.body);
      --depth_;
      line("}");
    }
  }

  void print(const Instruction& instruction) {
    const std::size_t position = position_++;
    const auto operand = [&](int index) { return registers_[instruction.operands[index]]; };
    switch (instruction.code) {
      case Code::note:
        return line("// " + instruction.text);
      case Code::tile_zero:
        return line("tile_zero(" + std::to_string(instruction.tiles[0]) + ");");
      case Code::tile_load:
      case Code::tile_store:
        return line(std::string(name_of(instruction.code)) + "(" + std::to_string(instruction.tiles[0]) + ", " +
                    address_text(instruction.address) + ", " + std::to_string(instruction.row_stride) + ");");
      case Code::tile_multiply:
        return line("tile_multiply(" + std::to_string(instruction.tiles[0]) + ", " +
                    std::to_string(instruction.tiles[1]) + ", " + std::to_string(instruction.tiles[2]) + ");");
      case Code::prefetch:
        return line("__builtin_prefetch(" + address_text(instruction.address) +
                    (instruction.number == 2 ? ", 0, 2);" : ");"));
      case Code::fence:
        return line("std::atomic_signal_fence(std::memory_order_seq_cst);");
      case Code::meet: {
        const std::size_t argument = program_.meeting_argument;
        return line("reinterpret_cast<void (*)(void*)>(arguments[" + std::to_string(argument) + "])(arguments[" +
                    std::to_string(argument + 1) + "]);");
      }
      case Code::set:
        return line(name(instruction.variable) + " = " + operand(0) + ";");
      case Code::store: {
        const Type type = program_.registers[instruction.operands[0]];
        const std::string address = address_text(instruction.address);
        if (type.lanes == 1) return line("*(" + address + ") = " + operand(0) + ";");
        return line("store(" + address + ", " + operand(0) + active_text(instruction, type) + ");");
      }
      case Code::constant:
        registers_[instruction.result] = constant(instruction);
        return;
      case Code::get:
        if (!uses_.is_unchanged(instruction.variable, instruction.result, position)) break;
        registers_[instruction.result] = name(instruction.variable);
        return;
      default:
        if (!uses_.is_set_next(instruction.result, position)) break;
        registers_[instruction.result] = expression(instruction);
        return;
    }
    const std::string own = "r" + std::to_string(instruction.result);
    line("const auto " + own + " = " + expression(instruction) + ";");
    registers_[instruction.result] = own;
  }

  // Constants stand where they are used.
  std::string constant(const Instruction& instruction) const {
    const Type type = program_.registers[instruction.result];
    if (instruction.numbers.empty()) {
      const std::string value = number_text(type.scalar, instruction.number);
      return type.lanes == 1 ? value : "splat<" + lanes_text(type) + ">(" + value + ")";
    }
    std::string lanes;
    for (const double value : instruction.numbers)
      lanes += (lanes.empty() ? "" : ", ") + number_text(type.scalar, value);
    return type_text(type) + "{{" + lanes + "}}";
  }

  std::string call(const std::string& function, const Instruction& instruction) const {
    std::string operands;
    for (const Register operand : instruction.inputs())
      operands += (operands.empty() ? "" : ", ") + registers_[operand];
    return function + "(" + operands + ")";
  }

  std::string expression(const Instruction& instruction) const {
    const Type type = program_.registers[instruction.result];
    const auto operand = [&](int index) { return registers_[instruction.operands[index]]; };
    switch (instruction.code) {
      case Code::splat:
        return "splat<" + lanes_text(type) + ">(" + operand(0) + ")";
      case Code::count:
        return "count<" + lanes_text(type) + ">(" + index_text(instruction.address.index) + ")";
      case Code::load: {
        const std::string address = address_text(instruction.address);
        if (type.lanes == 1) return "*(" + address + ")";
        return "load<" + lanes_text(type) + ">(" + address + active_text(instruction, type) + ")";
      }
      case Code::get:
        return name(instruction.variable);
      case Code::convert: {
        const std::string scalar = name_of(type.scalar);
        return type.lanes == 1 ? scalar + "(" + operand(0) + ")" : call("convert<" + scalar + ">", instruction);
      }
      case Code::lane:
        return operand(0) + ".lanes[" + std::to_string(instruction.indices[0]) + "]";
      case Code::shuffle: {
        std::string lanes;
        for (const int index : instruction.indices) lanes += (lanes.empty() ? "" : ", ") + std::to_string(index);
        const std::string shuffled = call("shuffle<" + lanes + ">", instruction);
        return type.lanes == 1 ? shuffled + ".lanes[0]" : shuffled;
      }
      default:
        return call(name_of(instruction.code), instruction);
    }
  }

  const Program& program_;
  const Uses uses_;
  std::size_t position_ = 0;            // of the next instruction
  std::vector<std::string> registers_;  // what stands for each
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string text_of(const Program& program) { return Printer(program).run(); }

}  // namespace gdbench::backends::jit
