#include "implementations/strategies/program.h"

namespace gdbench::strategies {

void Program::add(Session& session, kernels::Request request, gdbench_phase phase,
                  const std::vector<Matrix>& operands) {
  std::vector<kernels::Buffer> buffers;
  request.operand_count = 0;
  for (const Matrix& operand : operands) {
    request.operands[request.operand_count++] = {operand.rows, operand.columns, operand.layout, operand.entries};
    buffers.push_back(operand.buffer);
  }
  append(session.bind(request), kernels::name_of(request.op), phase, cost_of(request), buffers);
}

void Program::append(const kernels::Call* call, const char* op, gdbench_phase phase, const OpCost& cost,
                     std::span<const kernels::Buffer> buffers) {
  notes_.push_back({op, phase, cost, buffers_.size()});
  buffers_.insert(buffers_.end(), buffers.begin(), buffers.end());
  steps_.push_back({call->run, call, nullptr});
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].buffers = buffers_.data() + notes_[i].first_buffer;
}

std::vector<kernels::Buffer*> Program::occurrences(kernels::Buffer buffer) {
  std::vector<kernels::Buffer*> places;
  for (kernels::Buffer& operand : buffers_) {
    if (operand == buffer) places.push_back(&operand);
  }
  return places;
}

void Program::run_profiled(Session& session, Profile& profile) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const double start = now_ns();
    step.run(step.call, step.buffers, nullptr);
    session.synchronise();
    const double end = now_ns();
    profile.add(notes_[i].op, notes_[i].phase, end - start, notes_[i].cost);
  }
}

}  // namespace gdbench::strategies
