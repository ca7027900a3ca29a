#include "implementations/backends/jit/lower/update.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/jit/loops/functions.h"

namespace gdbench::backends::jit {

void load_factors(Context& context, const Affine& step) {
  const auto update = std::ranges::find(context.region.nodes, Op::update, &Node::op);
  if (update == context.region.nodes.end() || update->keeps_gradient()) return;
  const gdbench_optimizer& optimizer = *update->request.optimizer;
  Builder& builder = context.builder;
  const Matrix& place = context.place(update->operands[1]);
  const auto load = [&](std::int64_t field) {
    return builder.load({place.array, step * place.row_stride + Affine(field)}, 1);
  };
  // In double, as in rules/updates.h, and rounded once.
  const Register rate = load(0);
  const auto rounded = [&](Register value) { return builder.convert(value, context.real()); };
  StepFactors factors;
  factors.rate = rounded(rate);
  if (decay_of(optimizer) == Decay::decoupled) {
    factors.shrinkage = rounded(builder.multiply(rate, builder.constant({Scalar::f64, 1}, optimizer.weight_decay)));
  }
  if (catalogue::row_of(catalogue::kind_of(optimizer)).corrects_moments) {
    factors.corrected_rate = rounded(builder.multiply(rate, load(1)));
    factors.root_factor = rounded(load(2));
    factors.added_rate = rounded(builder.multiply(rate, load(3)));
  }
  context.factors = factors;
}

namespace {

struct EntryState {
  Register parameter = 0;
  Register gradient = 0;
  Register slots[2] = {};
};

// Parameter and slots after the update; the gradient is the one that was given, except for decay.
class Update {
 public:
  Update(Context& context, const gdbench_optimizer& optimizer, const EntryState& entries)
      : builder_(context.builder),
        context_(context),
        optimizer_(optimizer),
        entries_(entries),
        lanes_(builder_.type_of(entries.parameter).lanes) {}

  EntryState run() {
    const Decay decay = decay_of(optimizer_);
    if (decay == Decay::coupled) {
      entries_.gradient = builder_.multiply_add(number(optimizer_.weight_decay), entries_.parameter, entries_.gradient);
    }
    if (decay == Decay::decoupled) {
      entries_.parameter = minus_product(factors().shrinkage, entries_.parameter);
    }
    descend();
    return entries_;
  }

 private:
  const StepFactors& factors() const { return *context_.factors; }
  Register number(double value) { return context_.real_number(value, lanes_); }
  Register splat(Register scalar) { return builder_.splat(scalar, lanes_); }

  Register product(Register factor, Register value) { return builder_.multiply(splat(factor), value); }

  // parameter - factor value
  Register minus_product(Register factor, Register value) {
    return builder_.multiply_add(builder_.negate(splat(factor)), value, entries_.parameter);
  }

  // old := factor old + share new
  Register averaged(double factor, Register old, double share, Register added) {
    return builder_.multiply_add(number(factor), old, builder_.multiply(number(share), added));
  }

  // Whether epsilon hides, in the sum with which a quotient is divided, that the root of the least normal number takes
  // the place of smaller ones. What a root is multiplied by is largest in the first step.
  bool may_refine() const {
    const bool may_estimate = context_.refines && lanes_ >= kLeastLanesOfEstimates;
    // What a root is taken of is then at least epsilon.
    if (is_inside(optimizer_)) return may_estimate && optimizer_.epsilon >= std::numeric_limits<float>::min();
    const bool corrects = catalogue::row_of(catalogue::kind_of(optimizer_)).corrects_moments;
    const double most = corrects ? 1 / std::sqrt(1 - optimizer_.beta2) : 1;
    const double least_root = std::sqrt(std::numeric_limits<float>::min());
    return may_estimate && most * least_root < optimizer_.epsilon * 0x1p-25;
  }

  // value / (factor sqrt(squares) + epsilon), without a factor where it is null; or epsilon inside the root
  Register scaled(Register value, const Register* factor, Register squares) {
    const bool refine = may_refine();
    const bool inside = is_inside(optimizer_);
    if (inside) squares = builder_.add(squares, number(optimizer_.epsilon));
    Register root = refine ? refined_root(builder_, squares) : builder_.square_root(squares);
    if (factor != nullptr) {
      root = builder_.multiply_add(splat(*factor), root, number(optimizer_.epsilon));
    } else if (!inside) {
      root = builder_.add(root, number(optimizer_.epsilon));
    }
    return refine ? refined_quotient(value, root, squares) : builder_.divide(value, root);
  }

  Register scaled_descent(Register value, const Register* factor, Register squares) {
    return builder_.subtract(entries_.parameter, scaled(value, factor, squares));
  }

  // value / root; 0 where the squares have grown infinite, as if it had been divided by their root.
  Register refined_quotient(Register value, Register root, Register squares) {
    context_.refined += 2;
    const Register is_infinite = builder_.less(number(std::numeric_limits<float>::max()), squares);
    const Register reciprocal = builder_.select(is_infinite, number(0), refined_reciprocal(builder_, root));
    return builder_.multiply(value, reciprocal);
  }

  void descend() {
    const Register g = entries_.gradient;
    Register& first = entries_.slots[0];
    Register& second = entries_.slots[1];
    const OptimizerKind kind = catalogue::kind_of(optimizer_);
    switch (kind) {
      case OptimizerKind::momentum:
      case OptimizerKind::nesterov: {
        const Register mu = number(optimizer_.momentum);
        first = builder_.multiply_add(mu, first, g);
        const bool ahead = kind == OptimizerKind::nesterov;
        entries_.parameter = minus_product(factors().rate, ahead ? builder_.multiply_add(mu, first, g) : first);
        break;
      }
      case OptimizerKind::adagrad:
        first = builder_.multiply_add(g, g, first);
        entries_.parameter = scaled_descent(product(factors().rate, g), nullptr, first);
        break;
      case OptimizerKind::rmsprop:
        first = averaged(optimizer_.rho, first, 1 - optimizer_.rho, builder_.multiply(g, g));
        entries_.parameter = scaled_descent(product(factors().rate, g), nullptr, first);
        break;
      case OptimizerKind::adam:
      case OptimizerKind::adamw:
      case OptimizerKind::nadam: {
        first = averaged(optimizer_.beta1, first, 1 - optimizer_.beta1, g);
        second = averaged(optimizer_.beta2, second, 1 - optimizer_.beta2, builder_.multiply(g, g));
        Register moved = product(factors().corrected_rate, first);
        if (kind == OptimizerKind::nadam) moved = builder_.multiply_add(splat(factors().added_rate), g, moved);
        entries_.parameter = scaled_descent(moved, &factors().root_factor, second);
        break;
      }
      case OptimizerKind::radam: {
        first = averaged(optimizer_.beta1, first, 1 - optimizer_.beta1, g);
        second = averaged(optimizer_.beta2, second, 1 - optimizer_.beta2, builder_.multiply(g, g));
        const Register divided = scaled(splat(factors().corrected_rate), nullptr, second);
        const Register rate = builder_.add(divided, splat(factors().added_rate));
        entries_.parameter = builder_.multiply_add(builder_.negate(rate), first, entries_.parameter);
        break;
      }
      case OptimizerKind::lion: {
        const Register direction = averaged(optimizer_.beta1, first, 1 - optimizer_.beta1, g);
        first = averaged(optimizer_.beta2, first, 1 - optimizer_.beta2, g);
        const Register zero = number(0);
        const Register rate = splat(factors().rate);
        const Register falls = builder_.select(builder_.less(direction, zero), builder_.negate(rate), direction);
        entries_.parameter =
            builder_.subtract(entries_.parameter, builder_.select(builder_.less(zero, direction), rate, falls));
        break;
      }
      case OptimizerKind::schedule_free_sgd: {
        const Register share = splat(factors().root_factor);
        const Register before = first;
        first = builder_.subtract(builder_.multiply(builder_.subtract(number(1), share), first),
                                  product(factors().corrected_rate, g));
        entries_.parameter = builder_.multiply_add(share, before, minus_product(factors().added_rate, g));
        break;
      }
      case OptimizerKind::muon:  // not offered
        break;
      case OptimizerKind::sgd:
        entries_.parameter = minus_product(factors().rate, g);
        break;
    }
  }

  Builder& builder_;
  Context& context_;
  const gdbench_optimizer& optimizer_;
  EntryState entries_;
  int lanes_;
};

}  // namespace

void update_entries(Context& context, const Node& node, const std::function<Register(ValueId)>& load,
                    const std::function<void(ValueId, Register)>& store) {
  const ValueId parameter = node.operands[kUpdatedParameter];
  if (node.keeps_gradient()) return store(parameter, load(node.operands[0]));
  EntryState entries{.parameter = load(parameter), .gradient = load(node.operands[0])};
  const std::span<const ValueId> slots = std::span(node.operands).subspan(kUpdatedParameter + 1);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) entries.slots[slot] = load(slots[slot]);
  if (context.region.gradients_descend) {
    entries.parameter = context.builder.add(entries.parameter, entries.gradient);
  } else {
    entries = Update(context, *node.request.optimizer, entries).run();
  }
  store(parameter, entries.parameter);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) store(slots[slot], entries.slots[slot]);
}

}  // namespace gdbench::backends::jit
