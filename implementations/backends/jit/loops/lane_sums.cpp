#include "implementations/backends/jit/loops/lane_sums.h"

namespace gdbench::backends::jit {
namespace {

// Vectors that each hold the lanes of `sources` vectors, one part of them after the other, which halving makes shorter.
class Halving {
 public:
  Halving(Builder& builder, int lanes) : builder_(builder), part_(lanes) {}

  bool done() const { return part_ == 1; }

  // Each pair becomes one vector of the halves of both.
  std::vector<Register> pairs(const std::vector<Register>& vectors) {
    std::vector<Register> merged;
    for (std::size_t i = 0; i < vectors.size(); i += 2) merged.push_back(halves(vectors[i], &vectors[i + 1]));
    part_ /= 2;
    return merged;
  }

  Register alone(Register vector) {
    const Register shorter = halves(vector, nullptr);
    part_ /= 2;
    return shorter;
  }

 private:
  // First halves of all parts, of the vector and of the one beside it, plus second halves.
  Register halves(Register vector, const Register* beside) {
    const int lanes = builder_.type_of(vector).lanes;
    std::vector<int> first;
    for (int of = 0; of < (beside == nullptr ? 1 : 2); ++of) {
      for (int part = 0; part < lanes; part += part_) {
        for (int lane = 0; lane < part_ / 2; ++lane) first.push_back(of * lanes + part + lane);
      }
    }
    std::vector<int> second = first;
    for (int& lane : second) lane += part_ / 2;
    const Register other = beside == nullptr ? vector : *beside;
    const Register upper = builder_.shuffle(vector, other, std::move(second));
    return builder_.add(builder_.shuffle(vector, other, std::move(first)), upper);
  }

  Builder& builder_;
  int part_;  // lanes that belong to one source
};

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
  Halving halving(builder, builder.type_of(vectors[0]).lanes);
  while (vectors.size() > 1) vectors = halving.pairs(vectors);
  while (!halving.done()) vectors[0] = halving.alone(vectors[0]);
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

}  // namespace gdbench::backends::jit
