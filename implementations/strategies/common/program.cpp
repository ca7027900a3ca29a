#include "implementations/strategies/common/program.h"

namespace gdbench::strategies {

void Program::add(Session& session, backends::Request request, catalogue::Phase phase, const ModelPart& part,
                  const std::vector<Matrix>& operands) {
  std::vector<backends::Buffer> buffers;
  request.operand_count = 0;
  for (const Matrix& operand : operands) {
    request.operands[request.operand_count++] = {operand.rows, operand.columns, operand.layout, operand.entries};
    buffers.push_back(operand.buffer);
  }
  append(session.bind(request), {backends::name_of(request.op), phase, cost_of(request), part}, buffers);
}

void Program::append(const backends::Call* call, const ProfiledAs& as, std::span<const backends::Buffer> buffers) {
  notes_.push_back({as, buffers_.size()});
  buffers_.insert(buffers_.end(), buffers.begin(), buffers.end());
  steps_.push_back({call->run, call, nullptr});
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].buffers = buffers_.data() + notes_[i].first_buffer;
}

std::vector<backends::Buffer*> Program::occurrences(backends::Buffer buffer) {
  std::vector<backends::Buffer*> places;
  for (backends::Buffer& operand : buffers_) {
    if (operand == buffer) places.push_back(&operand);
  }
  return places;
}

void Program::repeat(std::uint64_t times) const {
  const std::span<const Step> steps(steps_);
  for (std::uint64_t i = 0; i < times; ++i) {
    for (const Step& step : steps) step.run(step.call, step.buffers, nullptr);
  }
}

void Program::run_profiled(CallClock& clock) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) clock.run(steps_[i].call, steps_[i].buffers, notes_[i].as);
}

}  // namespace gdbench::strategies
