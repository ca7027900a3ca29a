// What the host asks of an instance.
#pragma once

#include <algorithm>
#include <cstring>

#include "gdbench/plugin.h"

namespace gdbench::plugins {

// A struct of this plugin's size: what that of an older host does not have is zero.
template <class Struct>
Struct own_copy(const Struct& given) {
  Struct copy{};
  std::memcpy(&copy, &given, std::min(sizeof(copy), given.struct_size));
  return copy;
}

// The same of all that a problem is made of.
class OwnProblem {
 public:
  explicit OwnProblem(const gdbench_problem& given)
      : problem_(own_copy(given)), optimizer_(own_copy(*given.optimizer)) {
    problem_.optimizer = &optimizer_;
  }
  OwnProblem(const OwnProblem&) = delete;
  OwnProblem& operator=(const OwnProblem&) = delete;

  const gdbench_problem& problem() const { return problem_; }

 private:
  gdbench_problem problem_{};
  gdbench_optimizer optimizer_{};
};

// What an implementation says it offers, held against what is asked for. `settings` are an own_copy. Throws Failure:
// GDBENCH_UNSUPPORTED with a reason for what the masks and limits of `implementation` exclude, GDBENCH_INVALID where
// data and problem do not fit together.
void check_request(const gdbench_implementation& implementation, const gdbench_data& data,
                   const gdbench_problem& problem, const gdbench_settings& settings);

}  // namespace gdbench::plugins
