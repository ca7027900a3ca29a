#include <algorithm>
#include <string>

#include "implementations/common/failure.h"
#include "implementations/loader/batch_loader.h"
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {

using implementations::Failure;
using ops::Op;

namespace {

[[noreturn]] void reject(const std::string& reason) { throw Failure(GDBENCH_INVALID, "tape: " + reason); }

}  // namespace

Tape::Tape(Session& session, catalogue::Dtype dtype) : session_(session), dtype_(dtype), pool_(session) {}

void Tape::begin(Mode mode) {
  if (pool_.taken() != 0) {
    for (ValueRecord& value : values_) {
      if ((value.flags & kPooled) != 0) pool_.give_back(value.buffer, value.size_class);
    }
  }
  values_.clear();
  records_.clear();
  parameters_.clear();
  lookups_ = 0;
  temporaries_.clear();
  mode_ = mode;
  played_ = false;
  playing_ = nullptr;
  observed_ = program_ != nullptr || profile_ != nullptr;
}

void Tape::reject_size(const Matrix& matrix) {
  reject("a matrix of " + std::to_string(matrix.rows) + "x" + std::to_string(matrix.columns));
}

void Tape::check_operands(Op op, const Value* operands, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i] >= values_.size()) reject("an operand that is not of this recording");
    const unsigned flags = values_[operands[i]].flags;
    if ((flags & kLoss) != 0) reject("a loss as an operand");
    if ((flags & kGone) != 0) reject("an operand that was given up or given back");
    const bool place_of_labels = i == 1 && (op == Op::loss || op == Op::loss_gradient);
    if ((flags & kLabels) != 0 && !place_of_labels) reject("labels as an operand of other than a loss");
  }
}

const CachedCall& Tape::look_up(const CallKey& key, Op op, const ops::Attributes& attributes, const Value* operands,
                                std::size_t count) {
  const CachedCall* found = cache_.find(key);
  const CachedCall& call = found != nullptr ? *found : bind(key, op, attributes, operands, count);
  (lookups_ <= guesses_.size() ? guesses_[lookups_ - 1] : guesses_.add()) = &call;
  return call;
}

const CachedCall& Tape::bind(const CallKey& key, Op op, const ops::Attributes& attributes, const Value* operands,
                             std::size_t count) {
  const ops::OpRow& row = ops::row_of(op);
  if (row.arity > 2) reject(std::string(backends::name_of(op)) + " is not recorded");
  ops::Shape shapes[2];
  for (std::size_t i = 0; i < count; ++i) shapes[i] = unpack(values_[operands[i]].shape);
  if (count == 2 && (op == Op::loss || op == Op::loss_gradient)) {
    const bool labels = (values_[operands[1]].flags & kLabels) != 0;
    if (labels != ops::takes_labels(op, attributes)) reject("targets of the wrong kind for this loss");
  }
  const std::span<const ops::Shape> given(shapes, count);
  const backends::Request request = ops::request_of(op, dtype_, attributes, given);
  const ops::Shape result = ops::result_shape(op, attributes, given);
  const std::size_t element = op == Op::loss ? sizeof(double) : catalogue::size_of(dtype_);
  CachedCall call{.key = key, .op = op, .attributes = attributes, .cost = cost_of(request)};
  call.call = session_.bind(request);
  call.run = call.call->run;
  call.derivative = row.derivative;
  call.result_shape = pack(result);
  call.size_class = BufferPool::class_of(static_cast<std::size_t>(result.rows * result.columns) * element);
  call.operand_count = static_cast<std::uint32_t>(count);
  call.overwrites = row.overwrites;
  call.may_alias = row.may_alias;
  call.differentiable = row.differentiable;
  const ops::DerivativeReads reads = ops::derivative_reads(row, attributes);
  call.reads_operands = reads.operands;
  call.reads_result = reads.result;
  return cache_.insert(call);
}

void Tape::copy(Value from, backends::Buffer to) {
  const ops::Attributes attributes = {.beta = 0};
  const Value operands[2] = {from, from};
  const CallKey key(Op::combine, attributes, values_[from].shape, values_[from].shape);
  const CachedCall* found = cache_.find(key);
  const CachedCall& call = found != nullptr ? *found : bind(key, Op::combine, attributes, operands, 2);
  const backends::Buffer buffers[3] = {values_[from].buffer, values_[from].buffer, to};
  ++copies_;
  if (observed_) {
    run_observed(call, buffers);
    return;
  }
  call.run(call.call, buffers, nullptr);
}

// Of a call on its way forward or, while a record is played, of one of that record's derivative.
ModelPart Tape::part_of(const CachedCall& call, const backends::Buffer* buffers) const {
  const auto end = playing_ == nullptr ? parameters_.end()
                                       : std::lower_bound(parameters_.begin(), parameters_.end(), playing_->result);
  const auto made = static_cast<std::size_t>(end - parameters_.begin());
  if (made == 0 || made > layers_.size()) return {};
  const Value parameter = parameters_[made - 1];
  ModelPart part = of_layer(layers_[made - 1]);
  const backends::Buffer* const buffers_end = buffers + call.operand_count;
  const bool reads = std::find(buffers, buffers_end, values_[parameter].buffer) != buffers_end;
  const bool derives =
      playing_ != nullptr && (playing_->operands[0] == parameter || playing_->operands[1] == parameter);
  if (!reads && !derives) return part;
  part.parameters = Range::of(static_cast<std::int64_t>(made) - 1);
  part.use = reads ? GDBENCH_READS_PARAMETERS : GDBENCH_COMPUTES_GRADIENTS;
  return part;
}

void Tape::run_observed(const CachedCall& call, const backends::Buffer* buffers) {
  const catalogue::Phase phase = playing_ == nullptr ? catalogue::Phase::forward : catalogue::Phase::backward;
  const ProfiledAs as{backends::name_of(call.op), phase, call.cost, part_of(call, buffers)};
  if (program_ != nullptr) {
    const std::size_t count = call.operand_count + (call.overwrites < 0 ? 1 : 0);
    program_->append(call.call, as, {buffers, count});
  }
  if (profile_ == nullptr) {
    call.run(call.call, buffers, nullptr);
    return;
  }
  profiled_ns_ += strategies::run_profiled(session_, call.call, buffers, as, *profile_);
}

std::size_t Tape::record_of(Value loss) const {
  if (loss >= values_.size() || (values_[loss].flags & kLoss) == 0) reject("backward from what is not a loss");
  for (std::size_t i = records_.size(); i-- > 0;) {
    if (records_[i].result == loss) return i;
  }
  reject("the loss depends on no parameter");
}

void Tape::clear_gradients() {
  if (mode_ == Mode::once && played_) reject("a second backward needs Mode::persistent");
  played_ = true;
  for (const Value value : parameters_) {
    ValueRecord& parameter = values_[value];
    parameter.flags = static_cast<std::uint8_t>(parameter.flags & ~kTaken);
    if (parameter.gradient == kNoValue) continue;
    drop(parameter.gradient);
    parameter.gradient = kNoValue;
  }
}

// As if this pass had computed them: what it computes is added by the rule for a value that is used again.
void Tape::adopt_named_gradients() {
  for (const Value parameter : parameters_) {
    const backends::Buffer named = values_[parameter].gradient_buffer;
    if (named == nullptr) continue;
    const Value gradient = add_value(named, nullptr, values_[parameter].shape, kComputed, 0);
    values_[gradient].references = 1;
    values_[parameter].gradient = gradient;
    values_[parameter].flags = static_cast<std::uint8_t>(values_[parameter].flags | kTaken);
  }
}

Matrix Tape::gradient(Value parameter) const {
  if (parameter >= values_.size()) reject("a gradient of a value that is not of this recording");
  const ops::Shape shape = unpack(values_[parameter].shape);
  const Value gradient = values_[parameter].gradient;
  return {gradient == kNoValue ? nullptr : values_[gradient].buffer, shape.rows, shape.columns};
}

Matrix Tape::matrix(Value value) const {
  if (value >= values_.size()) reject("a value that is not of this recording");
  if ((values_[value].flags & kGone) != 0) reject("a value that was given up or given back");
  const ops::Shape shape = unpack(values_[value].shape);
  return {values_[value].buffer, shape.rows, shape.columns};
}

}  // namespace gdbench::strategies::tape
