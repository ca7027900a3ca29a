#include <algorithm>
#include <string>

#include "implementations/common/failure.h"
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {

using implementations::Failure;
using ops::Op;

namespace {

[[noreturn]] void reject(const std::string& reason) { throw Failure(GDBENCH_INVALID, "tape: " + reason); }

}  // namespace

void Tape::give_all_back() {
  for (std::size_t i = 0; i < size_; ++i) give_back(records_[i]);
}

void Tape::reject_size(const Matrix& matrix) {
  reject("a matrix of " + std::to_string(matrix.rows) + "x" + std::to_string(matrix.columns));
}

Kernel& Tape::look_up(Op op, const ops::Attributes& attributes, std::span<const Form> forms) {
  for (Kernel& kernel : kernels_[static_cast<std::size_t>(op)]) {
    if (kernel.serves(op, attributes, forms[0], forms.size() > 1 ? forms[1] : kNoForm)) return kernel;
  }
  return bind(op, attributes, forms);
}

Kernel& Tape::search(Op op, const ops::Attributes& attributes, Value first, Value second) {
  const Form forms[] = {form(first), form(second)};
  Kernel& found = look_up(op, attributes, {forms, second == kNoValue ? std::size_t{1} : 2});
  records_[size_].kernel = &found;
  return found;
}

Kernel& Tape::bind(Op op, const ops::Attributes& attributes, std::span<const Form> forms) {
  const ops::OpRow& row = ops::row_of(op);
  if (op == Op::update) reject(std::string(backends::name_of(op)) + " is not recorded");
  std::vector<ops::Shape> shapes;
  for (const Form form : forms) {
    if (form == kNoForm) reject("an operand that is not of this recording, was given up or given back");
    if ((form & kLoss) != 0) reject("a loss as an operand");
    const bool takes_labels = shapes.size() == 1 && ops::takes_labels(op, attributes);
    if (((form & kLabels) != 0) != takes_labels) reject("labels where there are none, or none where there are");
    shapes.push_back(shape_of(form));
  }
  const backends::Request request = ops::request_of(op, dtype_, attributes, shapes);
  const std::optional<std::size_t> overwritten = ops::overwritten_by(op);
  const std::size_t place = overwritten.value_or(forms.size());
  const ops::Shape result = {request.operands[place].rows, request.operands[place].columns};
  const ops::DerivativeReads reads = ops::derivative_reads(row, attributes);
  const backends::Call* const call = session_.bind(request);
  const std::size_t element = op == Op::loss ? sizeof(double) : catalogue::size_of(dtype_);

  Kernel& kernel = kernels_[static_cast<std::size_t>(op)].emplace_front();
  ++bound_calls_;
  kernel.op = op;
  kernel.attributes = attributes;
  std::copy(forms.begin(), forms.end(), kernel.forms);
  kernel.call = call;
  kernel.run = call->run;
  kernel.result = form_of(result) | (op == Op::loss ? kLoss : 0);
  kernel.results = &pool_.list_for(static_cast<std::size_t>(result.rows * result.columns) * element);
  kernel.overwrites = overwritten.has_value();
  kernel.operand_count = static_cast<std::uint32_t>(forms.size());
  kernel.result_place = static_cast<std::uint32_t>(place);
  kernel.reusable = row.may_alias & ~reads.operands;  // its own derivative may need what it is allowed to overwrite
  kernel.differentiable = row.differentiable;
  kernel.marks[0] = (reads.operands & 1) * kKept;
  kernel.marks[1] = (reads.operands >> 1) * kKept;
  kernel.marks[2] = kWantsGradient | (reads.result ? 1 : 0) * kKept;
  kernel.cost = cost_of(request);
  return kernel;
}

// Has the op table's rule say once what it would have run.
const Derivative& Tape::derive(Kernel& kernel, std::uint32_t wanted) {
  class Writer final : public ops::Emitter {
   public:
    Writer(Tape& tape, const Kernel& kernel)
        : tape_(tape), forms_{kernel.forms[0], kernel.forms[1], kernel.result, kernel.result} {}

    Value emit(Op op, const ops::Attributes& attributes, std::span<const Value> operands,
               const ops::Hint& hint) override {
      std::vector<Form> forms;
      for (const Value operand : operands) forms.push_back(forms_[operand]);
      Kernel& taken = tape_.look_up(op, attributes, forms);
      written.calls.push_back(
          {&taken, {operands.front(), operands.back()}, hint.gradient_of, hint.dies & ops::row_of(op).may_alias});
      const auto result = static_cast<Value>(forms_.size());
      if (result == Derivative::kMostValues) reject("a derivative of too many calls");
      if (hint.gradient_of < 0) written.temporaries.push_back(result);
      forms_.push_back(taken.result);
      return result;
    }

    Derivative written;

   private:
    Tape& tape_;
    std::vector<Form> forms_;  // of what Derivative numbers
  };

  Writer writer(*this, kernel);
  const Value operands[2] = {0, 1};
  const ops::Application application{
      kernel.attributes, {operands, kernel.operand_count}, Derivative::kResult, Derivative::kGradient, wanted};
  ops::row_of(kernel.op).derivative(writer, application, writer.written.gradients);
  std::unique_ptr<const Derivative>& kept = kernel.derivatives[wanted];
  kept = std::make_unique<const Derivative>(std::move(writer.written));
  return *kept;
}

void Tape::copy(Value from, backends::Buffer to) {
  const Form forms[] = {records_[from].form, records_[from].form};
  const Kernel& kernel = look_up(Op::combine, {}, forms);
  const backends::Buffer buffers[] = {records_[from].buffer, records_[from].buffer, to};
  ++copies_;
  run(kernel, buffers);
}

// The part of a forward call or, while a record is played, of a call of that record's derivative.
ModelPart Tape::part_of(const Kernel& kernel, const backends::Buffer* buffers) const {
  const auto end = std::lower_bound(parameters_.begin(), parameters_.end(), playing_);
  const auto made = static_cast<std::size_t>(end - parameters_.begin());
  if (made == 0 || made > layers_.size()) return {};
  const Value parameter = parameters_[made - 1];
  ModelPart part = of_layer(layers_[made - 1]);
  const backends::Buffer* const buffers_end = buffers + kernel.operand_count;
  const bool reads = std::find(buffers, buffers_end, records_[parameter].buffer) != buffers_end;
  const bool derives = playing_ != kNoValue &&
                       (records_[playing_].operands[0] == parameter || records_[playing_].operands[1] == parameter);
  if (!reads && !derives) return part;
  part.parameters = Range::of(static_cast<std::int64_t>(made) - 1);
  part.use = reads ? GDBENCH_READS_PARAMETERS : GDBENCH_COMPUTES_GRADIENTS;
  return part;
}

void Tape::run_observed(const Kernel& kernel, const backends::Buffer* buffers) {
  const catalogue::Phase phase = playing_ == kNoValue ? catalogue::Phase::forward : catalogue::Phase::backward;
  const ProfiledAs as{backends::name_of(kernel.op), phase, kernel.cost, part_of(kernel, buffers)};
  if (program_ != nullptr) {
    program_->append(kernel.call, as, {buffers, std::max(kernel.operand_count, kernel.result_place + 1)});
  }
  if (clock_ == nullptr) {
    kernel.run(kernel.call, buffers, nullptr);
    return;
  }
  profiled_ns_ += clock_->run(kernel.call, buffers, as);
}

void Tape::check_backward(Value loss) {
  if ((form(loss) & kLoss) == 0) reject("backward from what is not a loss");
  if (records_[loss].wanted == 0) reject("the loss depends on no parameter");
  if (mode_ == Mode::once) reject("a second backward needs Mode::persistent");
  for (const Value value : parameters_) {
    Record& parameter = records_[value];
    parameter.flags &= ~kTaken;
    if (parameter.gradient != kNoValue) drop(parameter.gradient);
    parameter.gradient = kNoValue;
  }
}

// As if this pass had computed them: what it computes is added by the rule for a value that is used again.
void Tape::adopt_named_gradients() {
  for (const Value parameter : parameters_) {
    const backends::Buffer named = records_[parameter].named_gradient;
    if (named == nullptr) continue;
    const Value gradient = add(named, nullptr, records_[parameter].form, kComputed);
    records_[gradient].references = 1;
    records_[parameter].gradient = gradient;
    records_[parameter].flags |= kTaken;
  }
}

Matrix Tape::gradient(Value parameter) const {
  if (parameter >= size_) reject("a gradient of a value that is not of this recording");
  const ops::Shape shape = shape_of(records_[parameter].form);
  const Value gradient = records_[parameter].gradient;
  return {gradient == kNoValue ? nullptr : records_[gradient].buffer, shape.rows, shape.columns};
}

Matrix Tape::matrix(Value value) const {
  if (form(value) == kNoForm || records_[value].buffer == nullptr) {
    reject("a value that is not of this recording, was never computed, was given up or given back");
  }
  const ops::Shape shape = shape_of(records_[value].form);
  return {records_[value].buffer, shape.rows, shape.columns};
}

}  // namespace gdbench::strategies::tape
