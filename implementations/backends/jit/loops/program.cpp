#include "implementations/backends/jit/loops/program.h"

#include <algorithm>

namespace gdbench::backends::jit {

std::size_t bytes_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::f32:
    case Scalar::i32:
      return 4;
    case Scalar::f64:
    case Scalar::i64:
      return 8;
    case Scalar::boolean:
      break;
  }
  return 1;
}

Affine Affine::counter(LoopId loop) {
  Affine affine;
  affine.terms.emplace_back(loop, 1);
  return affine;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant += b.constant;
  for (const auto& [loop, coefficient] : b.terms) {
    const auto at = std::lower_bound(a.terms.begin(), a.terms.end(), loop,
                                     [](const auto& term, LoopId wanted) { return term.first < wanted; });
    if (at == a.terms.end() || at->first != loop) {
      a.terms.insert(at, {loop, coefficient});
    } else if ((at->second += coefficient) == 0) {
      a.terms.erase(at);
    }
  }
  return a;
}

Affine operator*(Affine a, std::int64_t factor) {
  if (factor == 0) return 0;
  a.constant *= factor;
  for (auto& term : a.terms) term.second *= factor;
  return a;
}

}  // namespace gdbench::backends::jit
