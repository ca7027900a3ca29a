// The paths that every op takes; what happens once per recording or kernel is in recording.cpp. Functions are inlined
// by force where the compiler thinks them too large: a call with its saved registers costs as much as what is in them.
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {

using ops::Op;

[[gnu::always_inline]] inline Kernel& Tape::find(Op op, const ops::Attributes& attributes, Value first, Value second) {
  Kernel* const guess = records_[size_].kernel;
  if (guess != nullptr && guess->serves(op, attributes, form(first), form(second))) [[likely]]
    return *guess;
  return search(op, attributes, first, second);
}

// Whether the tape may overwrite a value when its holder allows that.
[[gnu::always_inline]] inline bool Tape::overwritable(Value value) const {
  const Record& record = records_[value];
  return (record.flags & (kComputed | kKept)) == kComputed && record.references <= 1;
}

[[gnu::always_inline]] inline Value Tape::execute(const Kernel& kernel, Value first, Value second,
                                                  std::uint32_t reusable, backends::Buffer buffer) {
  BufferPool::FreeList* home = nullptr;
  const Value reused = (reusable & 1) != 0 ? first : second;
  if (buffer == nullptr && reusable != 0 && overwritable(reused)) {
    Record& operand = records_[reused];
    buffer = operand.buffer;
    home = operand.home;
    operand.home = nullptr;
    operand.form = kNoForm;
  } else {
    if (buffer == nullptr) {
      home = kernel.results;
      buffer = pool_.take(*home);
    }
    if (kernel.overwrites) copy(kernel.result_place == 0 ? first : second, buffer);
  }
  backends::Buffer buffers[3];
  buffers[0] = records_[first].buffer;
  buffers[1] = records_[second].buffer;
  buffers[kernel.result_place] = buffer;
  run(kernel, buffers);
  return add(buffer, home, kernel.result, kComputed);
}

// The result's derivative will be played where an operand wants a gradient.
[[gnu::always_inline]] inline void Tape::record(const Kernel& kernel, Value first, Value second, Value result) {
  Record& a = records_[first];
  Record& b = records_[second];
  const std::uint32_t wanted = ((a.flags & kWantsGradient) | (b.flags & kWantsGradient) << 1) & kernel.differentiable;
  if (wanted == 0) return;
  Record& record = records_[result];
  record.operands[0] = first;
  record.operands[1] = second;
  record.wanted = wanted;
  a.flags |= kernel.marks[0];
  b.flags |= kernel.marks[1];
  record.flags |= kernel.marks[2];
}

Value Tape::apply(Op op, const ops::Attributes& attributes, Value first, Value second, std::uint32_t consumed) {
  Kernel& kernel = find(op, attributes, first, second);
  if (second == kNoValue) second = first;
  const Value result = execute(kernel, first, second, consumed & kernel.reusable, nullptr);
  record(kernel, first, second, result);
  return result;
}

Value Tape::unevaluated_loss(const ops::Attributes& attributes, Value outputs, Value targets) {
  Kernel& kernel = find(Op::loss, attributes, outputs, targets);
  const Value result = add(nullptr, nullptr, kernel.result, 0);
  record(kernel, outputs, targets, result);
  return result;
}

// The buffer that the caller named for a value's gradient, if nothing is in it yet.
[[gnu::always_inline]] inline backends::Buffer Tape::name_gradient(Value operand) {
  Record& record = records_[operand];
  if (record.named_gradient == nullptr || (record.flags & kTaken) != 0) return nullptr;
  record.flags |= kTaken;
  return record.named_gradient;
}

[[gnu::always_inline]] inline void Tape::play(Value value) {
  const Record& played = records_[value];
  Value values[Derivative::kMostValues];
  values[0] = played.operands[0];
  values[1] = played.operands[1];
  values[Derivative::kResult] = value;
  values[Derivative::kGradient] = played.gradient;
  const std::unique_ptr<const Derivative>& known = played.kernel->derivatives[played.wanted];
  const Derivative& derivative = known != nullptr ? *known : derive(*played.kernel, played.wanted);
  const Value gradient = played.gradient;
  playing_ = value;
  Value* result = values + Derivative::kFirstCall;
  for (const Derivative::Call& call : derivative.calls) {
    const backends::Buffer buffer = call.gradient_of < 0 ? nullptr : name_gradient(values[call.gradient_of]);
    *result = execute(*call.kernel, values[call.operands[0]], values[call.operands[1]], call.reusable, buffer);
    records_[*result++].references = 1;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (derivative.gradients[i] == kNoValue) continue;
    if (derivative.gradients[i] == Derivative::kGradient) ++records_[gradient].references;  // passed on
    accumulate(values[i], values[derivative.gradients[i]]);
  }
  for (const Value temporary : derivative.temporaries) drop(values[temporary]);
  if (gradient != kNoValue) drop(gradient);
  Record& record = records_[value];
  record.gradient = kNoValue;
  if (mode_ == Mode::once && (record.form & kLoss) == 0) give_back(record);
}

// The operand's record takes over the caller's reference.
[[gnu::always_inline]] inline void Tape::accumulate(Value operand, Value gradient) {
  Record& record = records_[operand];
  // Where the caller's buffer was taken by another value's gradient, the two will be added there.
  if (record.gradient == kNoValue && (record.named_gradient == nullptr || (record.flags & kTaken) != 0)) [[likely]] {
    record.gradient = gradient;
    return;
  }
  add_up(operand, gradient);
}

void Tape::add_up(Value operand, Value gradient) {
  Record& record = records_[operand];
  const Value sum = record.gradient;
  const backends::Buffer named = record.named_gradient;
  record.flags |= kTaken;
  ops::Attributes attributes;
  std::uint32_t reusable = 0;
  backends::Buffer buffer = nullptr;
  if (sum == kNoValue) {
    buffer = named;  // a gradient that was passed on is copied
  } else {
    attributes.beta = 1;
    const bool into_second = (named != nullptr && records_[gradient].buffer == named) || !overwritable(sum);
    reusable = sum == gradient ? 0u : into_second ? 2u : 1u;
  }
  const Value first = sum == kNoValue ? gradient : sum;
  const Value total = execute(find(Op::combine, attributes, first, gradient), first, gradient, reusable, buffer);
  records_[total].references = 1;
  records_[operand].gradient = total;
  if (sum != kNoValue) drop(sum);
  drop(gradient);
}

void Tape::begin_backward(Value loss, Gradients gradients) {
  if (played_ || (form(loss) & kLoss) == 0 || records_[loss].wanted == 0) [[unlikely]]
    check_backward(loss);
  played_ = true;
  if (gradients == Gradients::add) adopt_named_gradients();
}

void Tape::play_down(Value from, Value to, Value loss) {
  for (Value value = from; value-- > to;) {
    if (records_[value].wanted != 0 && (records_[value].gradient != kNoValue || value == loss)) play(value);
  }
  playing_ = kNoValue;
}

void Tape::backward(Value loss, Gradients gradients) {
  begin_backward(loss, gradients);
  play_down(loss + 1, 0, loss);
}

}  // namespace gdbench::strategies::tape
