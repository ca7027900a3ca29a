// The names of scenario files that the catalogue does not have.
#pragma once

#include "harness/scenario/scenario.h"

namespace gdbench::scenario {

using catalogue::ModelKind;

enum class Source { synthetic, csv, npy, idx, stream };
inline constexpr catalogue::Named<Source> kSources[] = {{Source::synthetic, "synthetic"},
                                                        {Source::csv, "csv"},
                                                        {Source::npy, "npy"},
                                                        {Source::idx, "idx"},
                                                        {Source::stream, "stream"}};
constexpr const auto& rows_of(Source /*any*/) { return kSources; }

inline constexpr catalogue::Named<SyntheticKind> kSyntheticKinds[] = {{SyntheticKind::linear, "linear"},
                                                                      {SyntheticKind::teacher, "teacher"},
                                                                      {SyntheticKind::blobs, "blobs"},
                                                                      {SyntheticKind::gradients, "gradients"}};
constexpr const auto& rows_of(SyntheticKind /*any*/) { return kSyntheticKinds; }

inline constexpr catalogue::Named<EmptyCells> kEmptyCells[] = {{EmptyCells::reject, "reject"},
                                                               {EmptyCells::drop, "drop"}};
constexpr const auto& rows_of(EmptyCells /*any*/) { return kEmptyCells; }

}  // namespace gdbench::scenario
