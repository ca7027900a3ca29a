// The paths that every op takes; what happens once per recording or call is in recording.cpp. Functions are inlined by
// force where the compiler thinks them too large: a call with its saved registers costs as much as what is in them.
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {

using ops::Op;

template <std::size_t count>
[[gnu::always_inline]] inline const CachedCall& Tape::find(Op op, const ops::Attributes& attributes,
                                                           const Value* operands) {
  unsigned flags = 0;
  for (std::size_t i = 0; i < count; ++i) {
    flags |= operands[i] < values_.size() ? values_[operands[i]].flags : unsigned{kGone};
  }
  if ((flags & (kGone | kLabels | kLoss)) != 0) [[unlikely]]
    check_operands(op, operands, count);
  const CallKey key(op, attributes, values_[operands[0]].shape, count > 1 ? values_[operands[1]].shape : 0,
                    (flags & kLabels) != 0);
  const std::size_t lookup = lookups_++;
  if (lookup < guesses_.size() && guesses_[lookup]->key == key) [[likely]]
    return *guesses_[lookup];
  return look_up(key, op, attributes, operands, count);
}

[[gnu::always_inline]] inline void Tape::run(const CachedCall& call, const backends::Buffer* buffers) {
  if (observed_) [[unlikely]] {
    run_observed(call, buffers);
    return;
  }
  call.run(call.call, buffers, nullptr);
}

// Whether the tape may overwrite a value that its holder gives up.
[[gnu::always_inline]] inline bool Tape::expendable(Value value) const {
  const ValueRecord& record = values_[value];
  return (record.flags & (kComputed | kKept)) == kComputed && record.references <= 1;
}

template <std::size_t count>
[[gnu::always_inline]] inline Value Tape::execute(const CachedCall& call, const Value* operands, std::uint32_t consumed,
                                                  backends::Buffer buffer) {
  if (call.overwrites >= 0) return execute_overwriting(call, operands, consumed, buffer);
  unsigned flags = kComputed;
  std::uint32_t size_class = call.size_class;
  if (buffer == nullptr) {
    const std::uint32_t reusable = consumed & call.may_alias;
    const unsigned place = static_cast<unsigned>(std::countr_zero(reusable | 4u));
    if (place < 2 && expendable(operands[place])) {
      ValueRecord& operand = values_[operands[place]];
      buffer = operand.buffer;
      flags |= operand.flags & kPooled;
      size_class = operand.size_class;
      operand.flags = static_cast<std::uint8_t>((operand.flags & ~kPooled) | kGone);
    } else {
      buffer = pool_.take(size_class);
      flags |= kPooled;
    }
  }
  backends::Buffer buffers[3];
  buffers[0] = values_[operands[0]].buffer;
  if constexpr (count == 2) buffers[1] = values_[operands[1]].buffer;
  buffers[count] = buffer;
  run(call, buffers);
  return add_value(buffer, nullptr, call.result_shape, flags, size_class);
}

inline Value Tape::execute_overwriting(const CachedCall& call, const Value* operands, std::uint32_t consumed,
                                       backends::Buffer buffer) {
  const Value target = operands[call.overwrites];
  unsigned flags = kComputed;
  std::uint32_t size_class = call.size_class;
  if (buffer == nullptr && (consumed >> call.overwrites & 1) != 0 && expendable(target)) {
    ValueRecord& operand = values_[target];
    buffer = operand.buffer;
    flags |= operand.flags & kPooled;
    size_class = operand.size_class;
    operand.flags = static_cast<std::uint8_t>((operand.flags & ~kPooled) | kGone);
  } else {
    if (buffer == nullptr) {
      buffer = pool_.take(size_class);
      flags |= kPooled;
    }
    copy(target, buffer);
  }
  backends::Buffer buffers[2];
  buffers[0] = values_[operands[0]].buffer;
  buffers[1] = call.operand_count > 1 ? values_[operands[1]].buffer : nullptr;
  buffers[call.overwrites] = buffer;
  run(call, buffers);
  return add_value(buffer, nullptr, call.result_shape, flags, size_class);
}

template <std::size_t count>
[[gnu::always_inline]] inline void Tape::record(const CachedCall& call, const Value* operands, Value result) {
  std::uint32_t wanted = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    wanted |= static_cast<std::uint32_t>(values_[operands[i]].flags & kWantsGradient) << i;
  }
  wanted &= call.differentiable;
  if (wanted == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((call.reads_operands >> i & 1) != 0) values_[operands[i]].flags |= kKept;
  }
  values_[result].flags =
      static_cast<std::uint8_t>(values_[result].flags | kWantsGradient | (call.reads_result ? unsigned{kKept} : 0u));
  add_record(call, operands[0], count > 1 ? operands[1] : kNoValue, result, wanted);
}

template <std::size_t count>
[[gnu::always_inline]] inline Value Tape::apply_to(Op op, const ops::Attributes& attributes, const Value* operands,
                                                   std::uint32_t consumed) {
  const CachedCall& call = find<count>(op, attributes, operands);
  // Its own derivative may need what it was allowed to overwrite.
  const Value result = execute<count>(call, operands, consumed & ~call.reads_operands, nullptr);
  if (op == Op::loss) values_[result].flags |= kLoss;
  record<count>(call, operands, result);
  return result;
}

Value Tape::apply(Op op, const ops::Attributes& attributes, Value first, Value second, std::uint32_t consumed) {
  const Value operands[2] = {first, second};
  return second == kNoValue ? apply_to<1>(op, attributes, operands, consumed)
                            : apply_to<2>(op, attributes, operands, consumed);
}

Value Tape::unevaluated_loss(const catalogue::LossFunction& function, Value outputs, Value targets, double weight) {
  const ops::Attributes attributes = {.alpha = weight, .loss = function};
  const Value operands[2] = {outputs, targets};
  const CachedCall& call = find<2>(Op::loss, attributes, operands);
  const Value result = add_value(nullptr, nullptr, call.result_shape, kLoss | kGone, 0);
  record<2>(call, operands, result);
  return result;
}

Value Tape::emit(Op op, const ops::Attributes& attributes, std::span<const Value> operands, const ops::Hint& hint) {
  return operands.size() == 1 ? emit_on<1>(op, attributes, operands.data(), hint)
                              : emit_on<2>(op, attributes, operands.data(), hint);
}

template <std::size_t count>
[[gnu::always_inline]] inline Value Tape::emit_on(Op op, const ops::Attributes& attributes, const Value* operands,
                                                  const ops::Hint& hint) {
  const CachedCall& call = find<count>(op, attributes, operands);
  backends::Buffer buffer = nullptr;
  if (hint.gradient_of >= 0) {
    ValueRecord& operand = values_[playing_->operands[hint.gradient_of]];
    if (operand.gradient_buffer != nullptr && (operand.flags & kTaken) == 0) {
      operand.flags |= kTaken;
      buffer = operand.gradient_buffer;
    }
  }
  const Value result = execute<count>(call, operands, hint.dies, buffer);
  values_[result].references = 1;
  if (hint.gradient_of < 0) temporaries_.push_back(result);
  return result;
}

[[gnu::always_inline]] inline void Tape::play(const OpRecord& record) {
  const Value gradient = values_[record.result].gradient;
  const ops::Application application{
      record.call->attributes, {record.operands, record.call->operand_count}, record.result, gradient, record.wanted};
  Value gradients[2] = {kNoValue, kNoValue};
  playing_ = &record;
  record.call->derivative(*this, application, gradients);
  for (std::uint32_t i = 0; i < record.call->operand_count; ++i) {
    if (!application.wants(i)) continue;
    if (gradients[i] == gradient) ++values_[gradient].references;  // passed on
    accumulate(record.operands[i], gradients[i]);
  }
  if (!temporaries_.empty()) [[unlikely]] {
    for (const Value temporary : temporaries_) drop(temporary);
    temporaries_.clear();
  }
  if (gradient != kNoValue) drop(gradient);
  ValueRecord& result = values_[record.result];
  result.gradient = kNoValue;
  if (mode_ == Mode::once && (result.flags & kLoss) == 0) give_back(result);
}

// The operand's entry takes over the caller's reference.
inline void Tape::accumulate(Value operand, Value gradient) {
  ValueRecord& entry = values_[operand];
  const Value sum = entry.gradient;
  const backends::Buffer named = entry.gradient_buffer;
  // Taken by another value: the two will be added there.
  const bool in_place = named == nullptr || values_[gradient].buffer == named || (entry.flags & kTaken) != 0;
  if (sum == kNoValue && in_place) {
    entry.gradient = gradient;
    return;
  }
  entry.flags |= kTaken;
  ops::Attributes attributes;
  std::uint32_t consumed = 0;
  backends::Buffer buffer = nullptr;
  if (sum == kNoValue) {
    buffer = named;  // a gradient that was passed on is copied
  } else {
    attributes.beta = 1;
    const bool into_second = (named != nullptr && values_[gradient].buffer == named) || !expendable(sum);
    consumed = sum == gradient ? 0u : into_second ? 2u : 1u;
  }
  const Value operands[2] = {sum == kNoValue ? gradient : sum, gradient};
  const Value total = execute<2>(find<2>(Op::combine, attributes, operands), operands, consumed, buffer);
  values_[total].references = 1;
  values_[operand].gradient = total;
  if (sum != kNoValue) drop(sum);
  drop(gradient);
}

void Tape::backward(Value loss, Gradients gradients) {
  const std::size_t start = record_of(loss);
  clear_gradients();
  if (gradients == Gradients::add) adopt_named_gradients();
  play(records_[start]);
  for (std::size_t i = start; i-- > 0;) {
    if (values_[records_[i].result].gradient != kNoValue) play(records_[i]);
  }
  playing_ = nullptr;
}

}  // namespace gdbench::strategies::tape
