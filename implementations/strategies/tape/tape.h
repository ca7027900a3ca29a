// An eager engine with reverse-mode differentiation. Each op runs when it is applied and is recorded; backward plays
// the records from the last to the first by the derivative rules of the op table.
//
// A recording lives from begin() to the next begin(). It is an array with a record for every value: a leaf, or the
// result of an op. The number of a value is its place in the array. Buffers come from a caching allocator, and kernels
// are kept by what they were bound for, so that recording the same kind of step again allocates and binds nothing.
//
// Which kernel an op takes is decided whenever it is applied. The one that ran at the same place of the
// recording before is tried first, and taken if op, attributes and operands' shapes are what it was bound for;
// otherwise the op's kernels are searched. So a step that is like the one before neither hashes nor searches, and any
// step may be another. A kernel knows those that its derivative takes, which its own shapes determine.
//
// In place. An op's kernel may put its result in an operand's buffer only where the caller gives that operand up
// (`consumed`) and no derivative of a recorded op reads it. Where the kernel cannot but overwrite an operand that is
// still needed, the operand is copied first (copies() counts). An operand that was overwritten cannot be used again.
//
// Errors are Failures (GDBENCH_INVALID, one line), after which the recording must be begun anew.
#pragma once

#include <cstdint>
#include <forward_list>
#include <span>
#include <vector>

#include "implementations/strategies/common/call_clock.h"
#include "implementations/strategies/common/op_table.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/tape/buffer_pool.h"
#include "implementations/strategies/tape/kernel.h"

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

class Tape {
 public:
  Tape(Session& session, catalogue::Dtype dtype) : session_(session), dtype_(dtype), pool_(session), records_(16) {}

  // Forgets all values.
  void begin(Mode mode = Mode::once) {
    if (pool_.taken() != 0) [[unlikely]]
      give_all_back();
    size_ = 0;
    parameters_.clear();
    mode_ = mode;
    played_ = false;
    playing_ = kNoValue;
    observed_ = program_ != nullptr || clock_ != nullptr;
  }

  // Leaves. Their buffers are the caller's and are never written.
  Value constant(const Matrix& matrix) { return add_leaf(matrix, 0, kNoForm); }
  Value labels(const Matrix& matrix) { return add_leaf(matrix, 0, kLabels); }
  // A leaf that backward computes a gradient for: in `gradient`, of the value's size, or if null in the tape's buffer.
  Value parameter(const Matrix& matrix, backends::Buffer gradient = nullptr) {
    const Value value = add_leaf(matrix, kWantsGradient, kNoForm);
    records_[value].named_gradient = gradient;
    parameters_.push_back(value);
    return value;
  }

  // Runs and records op(first, second), or op(first). Bit i of `consumed` gives operand i up.
  Value apply(ops::Op op, const ops::Attributes& attributes, Value first, Value second = kNoValue,
              std::uint32_t consumed = 0);
  Value product(Value a, Value b) { return apply(ops::Op::product, kPlain, a, b); }
  // Both may overwrite z.
  Value add_bias(Value bias, Value z) { return apply(ops::Op::add_bias, kPlain, bias, z, 1u << 1); }
  Value activation(const ops::Attributes& attributes, Value z) {
    return apply(ops::Op::activation, attributes, z, kNoValue, 1);
  }
  Value activation(catalogue::Activation kind, Value z) { return activation({.activation = kind}, z); }
  Value loss(const catalogue::LossFunction& function, Value outputs, Value targets) {
    return apply(ops::Op::loss, {.loss = function}, outputs, targets);
  }
  // A loss of these attributes, recorded and not run: for backward alone, which does not read it.
  Value unevaluated_loss(const ops::Attributes& attributes, Value outputs, Value targets);

  // Computes the gradient of `loss` with respect to every parameter that it depends on. Gradients of an earlier pass
  // are given back; where the caller named the buffer they are overwritten, or added to.
  void backward(Value loss, Gradients gradients = Gradients::replace);
  // The same, calling complete(i) as soon as the gradient of parameter i, in the order in which they were made, is all
  // that it will be: from the last one to the first.
  template <class Complete>
  void backward(Value loss, Gradients gradients, const Complete& complete) {
    begin_backward(loss, gradients);
    Value played = loss + 1;
    for (std::size_t i = parameters_.size(); i-- > 0;) {
      play_down(played, parameters_[i], loss);
      played = parameters_[i];
      complete(i);
    }
    play_down(played, 0, loss);
  }
  // The gradient of a parameter from the latest backward; valid until the next backward or begin. Its buffer is null
  // where the loss does not depend on the parameter, unless it was to be added to.
  Matrix gradient(Value parameter) const;
  // A value's shape and buffer. The loss is a double for every dtype.
  Matrix matrix(Value value) const;

  // While set, each call that runs is also appended to it, or timed into it. Null: neither.
  void capture(Program* program) { program_ = program; }
  void profile(CallClock* clock) { clock_ = clock; }
  double profiled_ns() const { return profiled_ns_; }  // in all timed calls so far
  // The layer of each parameter, in the order in which recordings make them, for captured and profiled calls. An
  // op belongs to the layer of the parameter that was made last before it. Empty: nothing is said.
  void set_layers(std::vector<std::int64_t> layers) { layers_ = std::move(layers); }

  std::uint64_t copies() const { return copies_; }
  std::size_t bound_calls() const { return bound_calls_; }
  const BufferPool& pool() const { return pool_; }

 private:
  static constexpr ops::Attributes kPlain = {};

  enum Flag : std::uint32_t {
    kWantsGradient = 1,  // a parameter, or computed from one
    kComputed = 2,       // the tape's to overwrite
    kKept = 4,           // the derivative of a recorded op reads it
    kTaken = 8,          // the buffer that the caller named holds a gradient
  };
  struct Record {
    backends::Buffer buffer = nullptr;  // null: never computed
    BufferPool::FreeList* home;         // where the buffer goes back to; null: nowhere
    Form form;                          // kNoForm: overwritten or given back
    backends::Buffer named_gradient;
    Kernel* kernel = nullptr;  // that ran here or, for what comes next, in a recording before
    Value operands[2];         // of what is played backward
    std::uint32_t wanted;      // bit i: backward computes the gradient of operand i; 0: it does nothing here
    std::uint32_t flags;
    Value gradient;
    std::uint32_t references;  // of a gradient: from parameters' and results' records and from the one being played
  };

  Form form(Value value) const { return value < size_ ? records_[value].form : kNoForm; }
  Value add_leaf(const Matrix& matrix, std::uint32_t flags, Form kind) {
    // One comparison for all: a number below 1 is a huge one here.
    if (static_cast<Form>((matrix.rows - 1) | (matrix.columns - 1)) >= kLargest) [[unlikely]]
      reject_size(matrix);
    return add(matrix.buffer, nullptr, form_of({matrix.rows, matrix.columns}) | kind, flags);
  }
  [[noreturn]] static void reject_size(const Matrix& matrix);
  // A record is written field by field in place: a copied temporary makes the processor wait for its own stores.
  Value add(backends::Buffer buffer, BufferPool::FreeList* home, Form form, std::uint32_t flags) {
    Record& record = records_[size_];
    record.buffer = buffer;
    record.home = home;
    record.form = form;
    record.named_gradient = nullptr;
    record.wanted = 0;
    record.flags = flags;
    record.gradient = kNoValue;
    record.references = 0;
    if (&record == &records_.back()) [[unlikely]]
      records_.resize(2 * records_.size());
    return static_cast<Value>(size_++);
  }

  Kernel& find(ops::Op op, const ops::Attributes& attributes, Value first, Value second);
  // Of an op on operands of these forms.
  Kernel& look_up(ops::Op op, const ops::Attributes& attributes, std::span<const Form> forms);
  Kernel& search(ops::Op op, const ops::Attributes& attributes, Value first, Value second);
  Kernel& bind(ops::Op op, const ops::Attributes& attributes, std::span<const Form> forms);
  const Derivative& derive(Kernel& kernel, std::uint32_t wanted);
  // Runs the kernel and adds its result: in `buffer` or, where that is null, in that of an operand that is `reusable`
  // and not kept, or in a new one. The second operand of an op that takes one is the first.
  Value execute(const Kernel& kernel, Value first, Value second, std::uint32_t reusable, backends::Buffer buffer);
  bool overwritable(Value value) const;
  [[gnu::always_inline]] void run(const Kernel& kernel, const backends::Buffer* buffers) {
    if (observed_) [[unlikely]] {
      run_observed(kernel, buffers);
      return;
    }
    kernel.run(kernel.call, buffers, nullptr);
  }
  void run_observed(const Kernel& kernel, const backends::Buffer* buffers);
  ModelPart part_of(const Kernel& kernel, const backends::Buffer* buffers) const;
  void copy(Value from, backends::Buffer to);
  void record(const Kernel& kernel, Value first, Value second, Value result);

  // Checks what is not the first backward from a loss: rejects it, or frees the gradients of the one before.
  void check_backward(Value loss);
  void adopt_named_gradients();
  void give_all_back();
  void begin_backward(Value loss, Gradients gradients);
  // The records before `from`, down to `to`.
  void play_down(Value from, Value to, Value loss);
  void play(Value value);
  backends::Buffer name_gradient(Value operand);
  void accumulate(Value operand, Value gradient);
  void add_up(Value operand, Value gradient);
  [[gnu::always_inline]] void drop(Value gradient) {
    Record& record = records_[gradient];
    if (--record.references == 0) give_back(record);
  }
  [[gnu::always_inline]] void give_back(Record& record) {
    if (record.home == nullptr) return;
    pool_.give_back(record.buffer, *record.home);
    record.home = nullptr;
    record.form = kNoForm;
  }

  Session& session_;
  catalogue::Dtype dtype_;
  BufferPool pool_;
  std::forward_list<Kernel> kernels_[std::size(backends::kOps)];  // by op
  std::size_t bound_calls_ = 0;
  std::vector<Record> records_;  // one more than size_ at least
  std::size_t size_ = 0;
  std::vector<Value> parameters_;
  std::vector<std::int64_t> layers_;  // of parameters_, or empty
  Mode mode_ = Mode::once;
  Value playing_ = kNoValue;
  bool played_ = false;
  Program* program_ = nullptr;
  CallClock* clock_ = nullptr;
  bool observed_ = false;
  double profiled_ns_ = 0;
  std::uint64_t copies_ = 0;
};

}  // namespace gdbench::strategies::tape
