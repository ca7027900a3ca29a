#include "implementations/backends/jit/loops/builder.h"

#include <numeric>
#include <optional>

namespace gdbench::backends::jit {

ArrayId Builder::array(Array array) {
  program_.arrays.push_back(std::move(array));
  return static_cast<ArrayId>(program_.arrays.size() - 1);
}

VariableId Builder::variable(Type type) {
  program_.variables.push_back(type);
  return static_cast<VariableId>(program_.variables.size() - 1);
}

void Builder::emit(Instruction instruction) { blocks_.back()->push_back({std::move(instruction), nullptr}); }

Register Builder::emit(Type type, Instruction instruction) {
  const auto result = static_cast<Register>(program_.registers.size());
  instruction.result = result;
  program_.registers.push_back(type);
  emit(std::move(instruction));
  return result;
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

Register Builder::constant(Scalar scalar, std::vector<double> lanes) {
  const Type type{scalar, static_cast<int>(lanes.size())};
  return emit(type, {.code = Code::constant, .numbers = std::move(lanes)});
}

Register Builder::splat(Register scalar, int lanes) {
  if (lanes == 1) return scalar;
  return emit({type_of(scalar).scalar, lanes}, {.code = Code::splat, .operands = {scalar}});
}

Register Builder::load(const Address& address, int lanes, int active) {
  return emit({element_of(address.array), lanes}, {.code = Code::load, .address = address, .active = active});
}

Register Builder::convert(Register a, Scalar scalar) {
  const Type type = type_of(a);
  return type.scalar == scalar ? a : emit({scalar, type.lanes}, {.code = Code::convert, .operands = {a}});
}

Register Builder::lane(Register vector, int index) {
  const Type type = type_of(vector);
  if (type.lanes == 1) return vector;
  return emit({type.scalar, 1}, {.code = Code::lane, .operands = {vector}, .indices = {index}});
}

Register Builder::shuffle(Register a, Register b, std::vector<int> indices) {
  const Type type = {type_of(a).scalar, static_cast<int>(indices.size())};
  return emit(type, {.code = Code::shuffle, .operands = {a, b}, .indices = std::move(indices)});
}

void Builder::meet(std::size_t argument) {
  program_.meeting_argument = argument;
  emit({.code = Code::meet});
}

Register Builder::maximum_of_lanes(Register vector) {
  for (int lanes = type_of(vector).lanes; lanes > 1; lanes /= 2) {
    std::vector<int> low(static_cast<std::size_t>(lanes / 2));
    std::iota(low.begin(), low.end(), 0);
    std::vector<int> high(low.size());
    std::iota(high.begin(), high.end(), lanes / 2);
    const Register upper = shuffle(vector, vector, std::move(high));
    vector = maximum(shuffle(vector, vector, std::move(low)), upper);
  }
  return vector;
}

namespace {

// One vector of two, or of `a` alone, in which `part` lanes each belong to one source: first halves of all parts, of
// `a` and behind them of `b`, plus second halves.
Register halves(Builder& builder, Register a, std::optional<Register> b, int part) {
  const int lanes = builder.type_of(a).lanes;
  std::vector<int> first;
  for (int begin = 0; begin < (b ? 2 : 1) * lanes; begin += part) {
    for (int lane = 0; lane < part / 2; ++lane) first.push_back(begin + lane);
  }
  std::vector<int> second = first;
  for (int& lane : second) lane += part / 2;
  const Register upper = builder.shuffle(a, b.value_or(a), std::move(second));
  return builder.add(builder.shuffle(a, b.value_or(a), std::move(first)), upper);
}

// Each lane of two vectors, of which those whose number lacks `distance`, a power of two, are `a`'s and the others
// `b`'s, plus the lane so far apart in the same vector.
Register across(Builder& builder, Register a, Register b, int distance) {
  const int lanes = builder.type_of(a).lanes;
  std::vector<int> own;
  std::vector<int> others;
  for (int lane = 0; lane < lanes; ++lane) {
    const int source = (lane & distance) == 0 ? 0 : lanes;
    own.push_back(source + lane);
    others.push_back(source + (lane ^ distance));
  }
  const Register other = builder.shuffle(a, b, std::move(others));
  return builder.add(a == b ? a : builder.shuffle(a, b, std::move(own)), other);
}

// In each part of `part` lanes: sums of neighbours in `a`, and behind them of those in `b`.
Register neighbours(Builder& builder, Register a, Register b, int part) {
  const int lanes = builder.type_of(a).lanes;
  std::vector<int> first;
  for (int begin = 0; begin < lanes; begin += part) {
    for (const int source : {0, lanes}) {
      for (int lane = begin; lane < begin + part; lane += 2) first.push_back(source + lane);
    }
  }
  std::vector<int> second = first;
  for (int& lane : second) ++lane;
  const Register other = builder.shuffle(a, b, std::move(second));
  return builder.add(builder.shuffle(a, b, std::move(first)), other);
}

}  // namespace

Register sums_of_lanes(Builder& builder, std::vector<Register> vectors) {
  std::size_t count = 1;
  while (count < vectors.size()) count *= 2;
  vectors.resize(count, vectors.back());
  for (int part = builder.type_of(vectors[0]).lanes; part > 1; part /= 2) {
    if (vectors.size() == 1) {
      vectors[0] = halves(builder, vectors[0], {}, part);
      continue;
    }
    std::vector<Register> merged;
    for (std::size_t i = 0; i < vectors.size(); i += 2) {
      merged.push_back(halves(builder, vectors[i], vectors[i + 1], part));
    }
    vectors = std::move(merged);
  }
  return vectors[0];
}

Register repeated_sums_of_lanes(Builder& builder, std::vector<Register> vectors) {
  const int lanes = builder.type_of(vectors[0]).lanes;
  const int count = static_cast<int>(vectors.size());
  for (int distance = count / 2; distance > 1; distance /= 2) {
    // Such that the vectors' order is the sums' in the end.
    const std::size_t apart = static_cast<std::size_t>(distance) / 2;
    std::vector<Register> merged;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if ((i & apart) == 0) merged.push_back(across(builder, vectors[i], vectors[i + apart], distance));
    }
    vectors = std::move(merged);
  }
  if (count > 1) vectors[0] = neighbours(builder, vectors[0], vectors[1], count);
  for (int distance = count; distance < lanes; distance *= 2) {
    vectors[0] = across(builder, vectors[0], vectors[0], distance);
  }
  return vectors[0];
}

std::vector<Register> transposed(Builder& builder, std::vector<Register> vectors) {
  // Quarters change places, and within each of them its own, down to single lanes.
  const int lanes = builder.type_of(vectors[0]).lanes;
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool upper = (lane & distance) != 0;
      low.push_back(upper ? lanes + lane - distance : lane);
      high.push_back(upper ? lanes + lane : lane + distance);
    }
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if ((i & static_cast<std::size_t>(distance)) != 0) continue;
      const Register a = vectors[i];
      const Register b = vectors[i + static_cast<std::size_t>(distance)];
      vectors[i] = builder.shuffle(a, b, low);
      vectors[i + static_cast<std::size_t>(distance)] = builder.shuffle(a, b, high);
    }
  }
  return vectors;
}

}  // namespace gdbench::backends::jit
