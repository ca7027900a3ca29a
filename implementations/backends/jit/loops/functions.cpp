#include "implementations/backends/jit/loops/functions.h"

#include <limits>
#include <span>

namespace gdbench::backends::jit {
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

  // e^x - 1 for x between the bounds: 2^n (e^r - 1) + (2^n - 1), whose second part is exact, or is rounded where it is
  // nearly all.
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

// With y = |z| and t = (y - 4) / (y + 4), the normal distribution at -y is e^(-y^2 / 2) p(t) / (y + 4): a polynomial p
// of degree 10 is off by less than 3e-9 of it for y up to 15, one of degree 22 by less than 4e-17 up to 39, where the
// distribution of floats and of doubles is 0. Interpolated at Chebyshev's points in 60 digits; the form is that of
// Shepherd and Laframboise, Mathematics of Computation 36, 1981.
constexpr double kTailCentre = 4;
constexpr double kTailSingle[] = {0.755285130623010682,     -0.607896659090852187,    0.387137367998559901,
                                  -0.186521281402521288,    0.0603975330878292214,    -0.00754526826571504971,
                                  -0.00348931727611505639,  0.00164521929735963592,   0.000171054611586862576,
                                  -0.000231798678342340699, -0.0000515565932985614122};
constexpr double kTailDouble[] = {
    0.75528513041575148,     -0.607896641971891759,    0.387137400742218879,    -0.186521857959694163,
    0.0603965748906994641,   -0.00754018896559305902,  -0.00347969236224253334, 0.0016308184418903596,
    0.000133344254019049116, -0.000231094818319376211, -1.90786653166135743e-6, 0.0000351441811577609727,
    7.15005595921609866e-7,  -5.91889273176323645e-6,  -6.25132104047868019e-7, 1.01980485181351727e-6,
    2.63682485764076251e-7,  -1.54263205367710739e-7,  -7.63808205349045035e-8, 1.45785933470364597e-8,
    1.39240239935017101e-8,  7.26954547902668946e-11,  -9.65342542022850467e-10};

// The polynomial with these coefficients, the constant one first.
Register polynomial(Builder& builder, std::span<const double> coefficients, Register x) {
  const Type type = builder.type_of(x);
  Register sum = builder.constant(type, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = builder.multiply_add(sum, x, builder.constant(type, coefficients[i]));
  }
  return sum;
}

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

// max(x, 0) + log(1 + y) with y = e^-|x|, where log(1 + y) = 2 artanh(s) with s = y / (2 + y), which is at most 1/3:
// the series 2 s (1 + s^2 / 3 + s^4 / 5 + ...) loses nothing where y is small.
Register softplus(Builder& builder, Register x) {
  const Type type = builder.type_of(x);
  const auto number = [&](double value) { return builder.constant(type, value); };
  const Register negative = builder.less(x, number(0));
  const Register opposite = builder.negate(x);
  const Register y = exponential(builder, builder.select(negative, x, opposite));
  const Register s = builder.divide(y, builder.add(y, number(2)));
  const Register square = builder.multiply(s, s);
  const int terms = type.scalar == Scalar::f32 ? 7 : 16;
  Register sum = number(2.0 / (2 * terms + 1));
  for (int i = terms; i-- > 0;) sum = builder.multiply_add(sum, square, number(2.0 / (2 * i + 1)));
  return builder.multiply_add(s, sum, builder.select(negative, number(0), x));
}

// e^-a is less than half an ulp of 1 where a is cut off.
Register softplus_slope(Builder& builder, Register a) {
  const Type type = builder.type_of(a);
  const Register most = builder.constant(type, type.scalar == Scalar::f32 ? 20 : 40);
  const Register bounded = builder.select(builder.less(most, a), most, a);
  return builder.negate(Exponential(builder, builder.negate(bounded)).value_less_one());
}

Normal normal(Builder& builder, Register z) {
  const Type type = builder.type_of(z);
  const bool single = type.scalar == Scalar::f32;
  const auto number = [&](double value) { return builder.constant(type, value); };
  const Register negative = builder.less(z, number(0));
  const Register magnitude = builder.select(negative, builder.negate(z), z);
  const Register most = number(single ? 15 : 39);
  const Register y = builder.select(builder.less(most, magnitude), most, magnitude);
  // y^2 and what it was rounded by: e^-x has as large a relative error as x has an absolute one.
  const Register square = builder.multiply(y, y);
  const Register lost = builder.multiply_add(y, y, builder.negate(square));
  const Register power = exponential(builder, builder.multiply(square, number(-0.5)));
  const Register decay = builder.multiply_add(builder.multiply(power, lost), number(-0.5), power);
  const Register inverse = builder.divide(number(1), builder.add(y, number(kTailCentre)));
  const Register t = builder.multiply_add(inverse, number(-2 * kTailCentre), number(1));
  const std::span<const double> coefficients = single ? std::span<const double>(kTailSingle) : kTailDouble;
  const Register tail = builder.multiply(builder.multiply(decay, inverse), polynomial(builder, coefficients, t));
  constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)
  return {builder.select(negative, tail, builder.subtract(number(1), tail)),
          builder.multiply(decay, number(kDensityAtZero))};
}

// z (2 - a z).
Register refined_reciprocal(Builder& builder, Register a) {
  const Register z = builder.reciprocal_estimate(a);
  const Register error = builder.multiply_add(builder.negate(a), z, builder.constant(builder.type_of(a), 1));
  return builder.multiply_add(z, error, z);
}

// r + r (1/2 - r y / 2) with r = a y, for y about 1 / sqrt(a). Denormal numbers, which some processors take a hundred
// cycles for, are kept out.
Register refined_root(Builder& builder, Register a) {
  const Type type = builder.type_of(a);
  const Register least = builder.constant(type, std::numeric_limits<float>::min());
  const Register half = builder.constant(type, 0.5);
  const Register normal = builder.maximum(a, least);
  const Register y = builder.reciprocal_root_estimate(normal);
  const Register root = builder.multiply(normal, y);
  const Register error = builder.multiply_add(builder.negate(root), builder.multiply(half, y), half);
  return builder.multiply_add(root, error, root);
}

}  // namespace gdbench::backends::jit
