#include "implementations/kernels/jit/loops/functions.h"

#include <limits>

namespace gdbench::kernels::jit {
namespace {

// x = n ln 2 + r with a whole n and |r| <= ln 2 / 2, so that e^x = 2^n e^r (Cody and Waite, Software Manual for the
// Elementary Functions, 1980, chapter 6). ln 2 is subtracted in two parts, of which the first has so few bits that n
// times it is exact; the fused subtraction rounds once.
struct Reduction {
  double high;      // of ln 2
  double low;       // what is missing
  double least;     // below it e^x is no normal number
  double greatest;  // above it e^x is infinite, or 2^n is
  int degree;       // of Taylor's polynomial: what it leaves out is less than a quarter of an ulp of e^r
};

constexpr Reduction kSingle = {0.693359375, -2.12194440054690583e-4, -87.33654022216797, 88.37626, 7};
constexpr Reduction kDouble = {0.693147180369123816490, 1.90821492927058770002e-10, -708.3964185322641,
                               709.4361393031039, 13};

class Exponential {
 public:
  Exponential(Builder& builder, Register x)
      : builder_(builder),
        type_(builder.type_of(x)),
        reduction_(type_.scalar == Scalar::f32 ? kSingle : kDouble),
        x_(x) {}

  // 2^n e^r for x between the bounds.
  Register value() {
    reduce();
    return builder_.multiply(builder_.power_of_two(whole_), builder_.add(number(1), rest_of_polynomial()));
  }

  // e^x - 1 for x between 0 and the upper bound: 2^n (e^r - 1) + (2^n - 1), whose second part is exact.
  Register value_less_one() {
    reduce();
    const Register scale = builder_.power_of_two(whole_);
    return builder_.multiply_add(scale, rest_of_polynomial(), builder_.subtract(scale, number(1)));
  }

  Register number(double value) { return builder_.constant(type_, value); }
  const Reduction& reduction() const { return reduction_; }

 private:
  void reduce() {
    constexpr double kLog2OfE = 1.44269504088896340736;
    whole_ = builder_.round(builder_.multiply(x_, number(kLog2OfE)));
    rest_ = builder_.multiply_add(whole_, number(-reduction_.high), x_);
    rest_ = builder_.multiply_add(whole_, number(-reduction_.low), rest_);
  }

  // e^r - 1 = r + r^2 (1/2 + r/6 + ...), by Horner's rule.
  Register rest_of_polynomial() {
    double factorial = 1;
    for (int i = 2; i <= reduction_.degree; ++i) factorial *= i;
    Register sum = number(1 / factorial);
    for (int i = reduction_.degree; i > 2; --i) {
      factorial /= i;
      sum = builder_.multiply_add(sum, rest_, number(1 / factorial));
    }
    return builder_.multiply_add(builder_.multiply(rest_, rest_), sum, rest_);
  }

  Builder& builder_;
  Type type_;
  const Reduction& reduction_;
  Register x_;
  Register whole_ = 0;
  Register rest_ = 0;
};

}  // namespace

Register exponential(Builder& builder, Register x) {
  Exponential exponential(builder, x);
  const Register least = exponential.number(exponential.reduction().least);
  const Register greatest = exponential.number(exponential.reduction().greatest);
  const Register value = exponential.value();
  const Register without_underflow = builder.select(builder.less(x, least), exponential.number(0), value);
  return builder.select(builder.less(greatest, x), exponential.number(std::numeric_limits<double>::infinity()),
                        without_underflow);
}

Register sigmoid(Builder& builder, Register x) {
  const Type type = builder.type_of(x);
  const Register one = builder.constant(type, 1);
  return builder.divide(one, builder.add(one, exponential(builder, builder.negate(x))));
}

// For y = |x|: tanh y = t / (t + 2) with t = e^2y - 1, which loses nothing near 0. Where t is larger than 2 / epsilon
// the quotient is 1, so that y may be cut off there.
Register hyperbolic_tangent(Builder& builder, Register x) {
  const Type type = builder.type_of(x);
  const Register zero = builder.constant(type, 0);
  const Register negative = builder.less(x, zero);
  const Register magnitude = builder.select(negative, builder.negate(x), x);
  const Register twice = builder.add(magnitude, magnitude);
  const Register most = builder.constant(type, type.scalar == Scalar::f32 ? 20 : 40);
  const Register bounded = builder.select(builder.less(most, twice), most, twice);
  const Register t = Exponential(builder, bounded).value_less_one();
  const Register value = builder.divide(t, builder.add(t, builder.constant(type, 2)));
  return builder.select(negative, builder.negate(value), value);
}

}  // namespace gdbench::kernels::jit
