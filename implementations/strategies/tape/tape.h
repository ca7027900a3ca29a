// An eager engine with reverse-mode differentiation. Each op runs when it is applied and is recorded; backward plays
// the record from its end with the derivative rules of the op table.
//
// A recording lives from begin() to the next begin(). Values are numbers that count from 0 in each recording; records
// and values lie in arrays that are reset, not freed, and buffers come from a caching allocator, so that recording the
// same kind of step again allocates nothing.
//
// In place. An op's kernel may put its result in an operand's buffer only where the caller gives that operand up
// (`consumed`) and no derivative of a recorded op reads it. Where the kernel cannot but overwrite an operand that is
// still needed, the operand is copied first (copies() counts). An operand that was overwritten cannot be used again.
//
// Errors are Failures (GDBENCH_INVALID, one line), after which the recording must be begun anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "implementations/strategies/common/op_table.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/tape/caches.h"

namespace gdbench::strategies::tape {

using ops::kNoValue;
using ops::Value;

enum class Mode {
  once,        // backward gives each value back when the record that made it was played; one backward pass
  persistent,  // values stay until the next begin(); any number of backward passes
};

// What backward does with gradients that were computed before.
enum class Gradients {
  replace,
  add,  // to what the buffers hold that the caller named, by this recording or an earlier one
};

class Tape final : private ops::Emitter {
 public:
  Tape(Session& session, catalogue::Dtype dtype);

  // Forgets all values and records.
  void begin(Mode mode = Mode::once);

  // Leaves. Their buffers are the caller's and are never written.
  Value constant(const Matrix& matrix) { return add_leaf(matrix, 0, nullptr); }
  Value labels(const Matrix& matrix) { return add_leaf(matrix, kLabels, nullptr); }
  // A leaf that backward computes a gradient for: in `gradient`, of the value's size, or where that is null in a buffer
  // of the tape's.
  Value parameter(const Matrix& matrix, backends::Buffer gradient = nullptr) {
    const Value value = add_leaf(matrix, kWantsGradient, gradient);
    parameters_.push_back(value);
    return value;
  }

  // Runs and records op(first, second). Bit i of `consumed` gives operand i up.
  Value apply(ops::Op op, const ops::Attributes& attributes, Value first, Value second = kNoValue,
              std::uint32_t consumed = 0);
  Value product(Value a, Value b) { return apply(ops::Op::product, {}, a, b); }
  // Both give up z.
  Value add_bias(Value bias, Value z) { return apply(ops::Op::add_bias, {}, bias, z, 1u << 1); }
  Value activation(catalogue::Activation kind, Value z) {
    return apply(ops::Op::activation, {.activation = kind}, z, kNoValue, 1);
  }
  Value loss(const catalogue::LossFunction& function, Value outputs, Value targets) {
    return apply(ops::Op::loss, {.loss = function}, outputs, targets);
  }
  // `weight` times a loss, recorded and not run: for backward alone, which does not read it.
  Value unevaluated_loss(const catalogue::LossFunction& function, Value outputs, Value targets, double weight);

  // Computes the gradient of `loss` with respect to every parameter that it depends on. Gradients of an earlier pass
  // are given back; where the caller named the buffer they are overwritten, or added to.
  void backward(Value loss, Gradients gradients = Gradients::replace);
  // The gradient of a parameter from the latest backward; valid until the next backward or begin. Its buffer is null
  // where the loss does not depend on the parameter, unless it was to be added to.
  Matrix gradient(Value parameter) const;
  // A value's shape and buffer. The loss is a double whatever the dtype.
  Matrix matrix(Value value) const;

  // While set, each call that runs is also appended to it, or timed into it. Null: neither.
  void capture(Program* program) { program_ = program; }
  void profile(Profile* profile) { profile_ = profile; }
  double profiled_ns() const { return profiled_ns_; }  // in all timed calls so far
  // Of each parameter, in the order in which recordings make them: what captured and profiled calls are then about. An
  // op belongs to the layer of the parameter that was made last before it. Empty: nothing is said.
  void set_layers(std::vector<std::int64_t> layers) { layers_ = std::move(layers); }

  std::uint64_t copies() const { return copies_; }
  std::size_t bound_calls() const { return cache_.size(); }
  const BufferPool& pool() const { return pool_; }

 private:
  enum Flag : std::uint8_t {
    kWantsGradient = 1,  // a parameter, or computed from one
    kComputed = 2,       // the tape's to overwrite
    kKept = 4,           // the derivative of a recorded op reads it
    kPooled = 8,         // its buffer goes back to the pool
    kGone = 16,          // overwritten, given back or never computed
    kLabels = 32,        // int32
    kLoss = 64,          // double
    kTaken = 128,        // the buffer that the caller named holds a gradient
  };
  struct ValueRecord {
    backends::Buffer buffer;
    backends::Buffer gradient_buffer;
    PackedShape shape;
    Value gradient;
    std::uint16_t references;  // of a gradient: from parameters' and results' entries and from the rule being played
    std::uint8_t flags;
    std::uint8_t size_class;
  };
  struct OpRecord {
    const CachedCall* call;
    Value operands[2];
    Value result;
    std::uint32_t wanted;
  };

  Value emit(ops::Op op, const ops::Attributes& attributes, std::span<const Value> operands,
             const ops::Hint& hint) override;
  ops::Shape shape_of(Value value) const override { return unpack(values_[value].shape); }

  Value add_leaf(const Matrix& matrix, unsigned flags, backends::Buffer gradient) {
    if (matrix.rows < 1 || matrix.columns < 1 || matrix.rows > UINT32_MAX || matrix.columns > UINT32_MAX) [[unlikely]]
      reject_size(matrix);
    return add_value(matrix.buffer, gradient, pack({matrix.rows, matrix.columns}), flags, 0);
  }
  [[noreturn]] static void reject_size(const Matrix& matrix);
  Value add_value(backends::Buffer buffer, backends::Buffer gradient_buffer, PackedShape shape, unsigned flags,
                  std::uint32_t size_class) {
    ValueRecord& value = values_.add();
    value.buffer = buffer;
    value.gradient_buffer = gradient_buffer;
    value.shape = shape;
    value.gradient = kNoValue;
    value.references = 0;
    value.flags = static_cast<std::uint8_t>(flags);
    value.size_class = static_cast<std::uint8_t>(size_class);
    return static_cast<Value>(values_.size() - 1);
  }
  void add_record(const CachedCall& call, Value first, Value second, Value result, std::uint32_t wanted) {
    OpRecord& record = records_.add();
    record.call = &call;
    record.operands[0] = first;
    record.operands[1] = second;
    record.result = result;
    record.wanted = wanted;
  }
  template <std::size_t count>
  Value apply_to(ops::Op op, const ops::Attributes& attributes, const Value* operands, std::uint32_t consumed);
  template <std::size_t count>
  Value emit_on(ops::Op op, const ops::Attributes& attributes, const Value* operands, const ops::Hint& hint);
  template <std::size_t count>
  const CachedCall& find(ops::Op op, const ops::Attributes& attributes, const Value* operands);
  const CachedCall& look_up(const CallKey& key, ops::Op op, const ops::Attributes& attributes, const Value* operands,
                            std::size_t count);
  const CachedCall& bind(const CallKey& key, ops::Op op, const ops::Attributes& attributes, const Value* operands,
                         std::size_t count);
  void check_operands(ops::Op op, const Value* operands, std::size_t count) const;
  // Runs the call and adds its result, in `buffer` where that is not null.
  template <std::size_t count>
  Value execute(const CachedCall& call, const Value* operands, std::uint32_t consumed, backends::Buffer buffer);
  Value execute_overwriting(const CachedCall& call, const Value* operands, std::uint32_t consumed,
                            backends::Buffer buffer);
  bool expendable(Value value) const;
  void run(const CachedCall& call, const backends::Buffer* buffers);
  void run_observed(const CachedCall& call, const backends::Buffer* buffers);
  ModelPart part_of(const CachedCall& call, const backends::Buffer* buffers) const;
  void copy(Value from, backends::Buffer to);
  template <std::size_t count>
  void record(const CachedCall& call, const Value* operands, Value result);

  void play(const OpRecord& record);
  void accumulate(Value operand, Value gradient);
  [[gnu::always_inline]] void drop(Value gradient) {
    ValueRecord& value = values_[gradient];
    if (--value.references == 0) give_back(value);
  }
  [[gnu::always_inline]] void give_back(ValueRecord& value) {
    if ((value.flags & kPooled) == 0) return;
    pool_.give_back(value.buffer, value.size_class);
    value.flags = static_cast<std::uint8_t>((value.flags & ~kPooled) | kGone);
  }
  void clear_gradients();
  void adopt_named_gradients();
  std::size_t record_of(Value loss) const;

  Session& session_;
  catalogue::Dtype dtype_;
  CallCache cache_;
  BufferPool pool_;
  Arena<ValueRecord> values_;
  Arena<OpRecord> records_;
  // The call that was found last time at the same place in the order of lookups: mostly the one that is looked for.
  Arena<const CachedCall*> guesses_;
  std::size_t lookups_ = 0;
  std::vector<Value> parameters_;
  std::vector<std::int64_t> layers_;  // of parameters_, or empty
  std::vector<Value> temporaries_;    // of the rule being played
  Mode mode_ = Mode::once;
  const OpRecord* playing_ = nullptr;
  bool played_ = false;
  Program* program_ = nullptr;
  Profile* profile_ = nullptr;
  bool observed_ = false;
  double profiled_ns_ = 0;
  std::uint64_t copies_ = 0;
};

}  // namespace gdbench::strategies::tape
