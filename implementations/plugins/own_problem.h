// A problem in structs of this plugin's size: what those of an older host do not have is zero.
#pragma once

#include <algorithm>
#include <cstring>

#include "gdbench/plugin.h"

namespace gdbench::plugins {

class OwnProblem {
 public:
  explicit OwnProblem(const gdbench_problem& given) : problem_(copy_of(given)), optimizer_(copy_of(*given.optimizer)) {
    problem_.optimizer = &optimizer_;
  }
  OwnProblem(const OwnProblem&) = delete;
  OwnProblem& operator=(const OwnProblem&) = delete;

  const gdbench_problem& problem() const { return problem_; }

 private:
  template <class Struct>
  static Struct copy_of(const Struct& given) {
    Struct copy{};
    std::memcpy(&copy, &given, std::min(sizeof(copy), given.struct_size));
    return copy;
  }

  gdbench_problem problem_{};
  gdbench_optimizer optimizer_{};
};

}  // namespace gdbench::plugins
