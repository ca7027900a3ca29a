// Axes: where a value lies on the page, and which values are labelled.
#pragma once

#include <vector>

namespace gdbench::document {

// Values from `low` to `high`, both positive for a logarithmic scale, onto pixels from `from` to `to`.
class Scale {
 public:
  static Scale linear(double low, double high, double from, double to) { return {false, low, high, from, to}; }
  static Scale logarithmic(double low, double high, double from, double to) { return {true, low, high, from, to}; }

  // Values beyond an end are put there.
  double at(double value) const;
  // At most about `most` values: 1, 2 or 5 times a power of ten; powers of ten where a logarithmic scale has many.
  std::vector<double> ticks(int most) const;

 private:
  Scale(bool logarithmic, double low, double high, double from, double to);

  bool logarithmic_;
  double low_;
  double high_;
  double from_;
  double to_;
};

// The least and the largest of values, so far.
struct Extent {
  double low = 0;
  double high = 0;
  bool empty = true;

  // Ignores what is not finite.
  void add(double value);
  void add_positive(double value) {
    if (value > 0) add(value);
  }
};

}  // namespace gdbench::document
