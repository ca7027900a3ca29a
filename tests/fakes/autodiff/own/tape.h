// A tape of scalars in one header, as somebody might bring it along: it knows nothing of gdbench.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tape {

constexpr std::size_t kConstant = static_cast<std::size_t>(-1);

template <class T>
class Scalar {
 public:
  Scalar(double value = 0) : value_(static_cast<T>(value)) {}

  // From here on its derivative is kept.
  void follow() { place_ = record({}); }
  T value() const { return value_; }
  T adjoint() const { return adjoints()[place_]; }

  // The derivatives of this by all that it was made of. The tape stays until `clear`.
  void find_adjoints() const {
    adjoints().assign(nodes().size(), 0);
    adjoints()[place_] = 1;
    for (std::size_t i = nodes().size(); i-- > 0;) {
      for (const Edge& edge : nodes()[i].edges) {
        if (edge.from != kConstant) adjoints()[edge.from] += adjoints()[i] * edge.slope;
      }
    }
  }
  static void clear() { nodes().clear(); }

  friend Scalar operator+(const Scalar& a, const Scalar& b) { return {a.value_ + b.value_, a, 1, b, 1}; }
  friend Scalar operator-(const Scalar& a, const Scalar& b) { return {a.value_ - b.value_, a, 1, b, -1}; }
  friend Scalar operator*(const Scalar& a, const Scalar& b) { return {a.value_ * b.value_, a, b.value_, b, a.value_}; }
  friend Scalar operator/(const Scalar& a, const Scalar& b) {
    const T quotient = a.value_ / b.value_;
    return {quotient, a, 1 / b.value_, b, -quotient / b.value_};
  }
  friend Scalar operator-(const Scalar& a) { return 0 - a; }
  Scalar& operator+=(const Scalar& other) { return *this = *this + other; }
  Scalar& operator-=(const Scalar& other) { return *this = *this - other; }
  friend bool operator>(const Scalar& a, const Scalar& b) { return a.value_ > b.value_; }

  friend Scalar exp(const Scalar& a) { return {std::exp(a.value_), a, std::exp(a.value_), {}, 0}; }
  friend Scalar log(const Scalar& a) { return {std::log(a.value_), a, 1 / a.value_, {}, 0}; }
  friend Scalar tanh(const Scalar& a) {
    const T t = std::tanh(a.value_);
    return {t, a, 1 - t * t, {}, 0};
  }
  friend Scalar erfc(const Scalar& a) {
    constexpr T kSlopeAtZero = static_cast<T>(-1.12837916709551257390);  // -2 / sqrt(pi)
    return {std::erfc(a.value_), a, kSlopeAtZero * std::exp(-a.value_ * a.value_), {}, 0};
  }

 private:
  struct Edge {
    std::size_t from = kConstant;
    T slope = 0;
  };
  struct Node {
    Edge edges[2];
  };
  Scalar(T value, const Scalar& a, T by_a, const Scalar& b, T by_b) : value_(value) {
    if (a.place_ != kConstant || b.place_ != kConstant) place_ = record({{{a.place_, by_a}, {b.place_, by_b}}});
  }
  static std::size_t record(const Node& node) {
    nodes().push_back(node);
    return nodes().size() - 1;
  }
  static std::vector<Node>& nodes() {
    static std::vector<Node> nodes;
    return nodes;
  }
  static std::vector<T>& adjoints() {
    static std::vector<T> adjoints;
    return adjoints;
  }

  T value_;
  std::size_t place_ = kConstant;
};

}  // namespace tape
