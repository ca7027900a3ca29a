// What the task forward keeps from step to step (gdbench_task in gdbench/plugin.h): the sum of its batches' losses.
#pragma once

#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

class LossSum {
 public:
  // 0 until set_state.
  LossSum(Session& session, const gdbench_problem& problem);

  // Appends the addition of `loss`, a double in the session's memory.
  void add(Program& program, backends::Buffer loss);

  // The tensor is the last one of a state's parameters; the sum itself is a double.
  void set_state(const gdbench_tensor& tensor);
  void get_state(const gdbench_tensor& tensor);

 private:
  Session& session_;
  const gdbench_problem& problem_;
  backends::Buffer sum_;
};

}  // namespace gdbench::strategies
