// The names of scenario files that problem.h does not have.
#pragma once

#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

enum class ModelKind { linear_regression, multilayer_perceptron, tensors };
enum class Source { synthetic, csv, npy, idx, stream };

constexpr const char* name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::linear_regression:
      return "linear_regression";
    case ModelKind::multilayer_perceptron:
      return "multilayer_perceptron";
    case ModelKind::tensors:
      return "tensors";
  }
  return "?";
}

constexpr const char* name_of(Source source) {
  switch (source) {
    case Source::synthetic:
      return "synthetic";
    case Source::csv:
      return "csv";
    case Source::npy:
      return "npy";
    case Source::idx:
      return "idx";
    case Source::stream:
      return "stream";
  }
  return "?";
}

constexpr const char* name_of(SyntheticKind kind) {
  switch (kind) {
    case SyntheticKind::linear:
      return "linear";
    case SyntheticKind::teacher:
      return "teacher";
    case SyntheticKind::blobs:
      return "blobs";
    case SyntheticKind::gradients:
      return "gradients";
  }
  return "?";
}

constexpr const char* name_of(EmptyCells cells) { return cells == EmptyCells::reject ? "reject" : "drop"; }

}  // namespace gdbench::scenario
