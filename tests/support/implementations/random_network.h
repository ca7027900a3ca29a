// Random networks in every form that the backend jit compiles, trained by it and by the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/implementations/trained_by_jit.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {

struct RandomNetwork {
  TrainingCase values;
  int threads = 1;
  JitOptions options;
  bool is_rank = false;  // whose gradients and update are regions of their own
};

std::string text_of(const RandomNetwork& network);

// What a network may cost.
struct NetworkBounds {
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  bool wide = false;  // layers of 500 to 1500 among them
  // Multiply-adds of a forward pass, and as those of a row weights, whose updates take long in long double.
  double most_work = 5e6;
  // Layers of which code is generated: of each thread, of each size of batches, of each part of one.
  std::int64_t most_programs = 8;
};

// A number below `count`, which is not 0.
using Draw = std::function<std::size_t(std::size_t count)>;

// By nothing but `draw`. `instructions`: values of jit's option of that name, at least one.
RandomNetwork random_network(const Draw& draw, const NetworkBounds& bounds,
                             const std::vector<const char*>& instructions);

struct Comparison {
  bool diverges = false;   // of which there is nothing to compare
  std::string difference;  // the first one; empty where there is none
};

// Trains it for three steps by jit, and by the reference.
//
// Updates are compared, which are smaller than parameters by far: each entry within a part of what the parameter's
// entries moved at most, which rounding of sums of that size can explain, and of the rounding of each update's result.
// Where rounding chooses the side of a slope that jumps (an input of relu near 0), both sides are right.
Comparison compared_with_reference(const RandomNetwork& network);

}  // namespace gdbench::strategies
