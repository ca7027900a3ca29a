// A profile as files that other programs read, and what these and the answer of `gdbench profile` are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/profile.h"

namespace gdbench::answers {

// One mean step as a timeline in the Trace Event Format (JSON object form, complete events), as Perfetto, speedscope
// and chrome://tracing open it: phases with their ops inside, named as "product, layer 1, gradient of w1", in the order
// of a step, lengths as measured.
std::string chrome_trace(const report::Profile& profile);

// "implementation;phase;op, layer 0, reads w0 picoseconds" lines, as flame graph tools and speedscope read them.
std::string collapsed_stacks(const report::Profile& profile);

// What these are made of.

// In the order of a step, with their hues in pictures of one. Compiling happens before it and stands apart.
inline constexpr std::pair<report::Phase, int> kPhases[] = {
    {report::Phase::data, 0},     {report::Phase::record, 4}, {report::Phase::forward, 1}, {report::Phase::backward, 2},
    {report::Phase::exchange, 5}, {report::Phase::update, 3}, {report::Phase::other, 5}};
int hue_of(report::Phase phase);

// A part of a step with its ops in the order of a step, or what is done once before the first one.
struct PhaseTime {
  report::Phase phase = report::Phase::other;
  double time_ns = 0;
  std::vector<const report::ProfileRecord*> records;

  std::string name() const { return name_of(phase); }
};
// In the order of a step, without what is done once.
std::vector<PhaseTime> phases_of(const report::Profile& profile);
PhaseTime once_of(const report::Profile& profile);

// Of ascending layers: "0", "0-4" where they follow each other, "0,2".
using MaybeLayers = std::optional<std::vector<std::int64_t>>;
std::string layer_numbers(const MaybeLayers& layers);
// ", layer 0", ", layers 0-4"; nothing for none.
std::string layer_words(const MaybeLayers& layers);
// "reads w0", "reads w0 b0", "gradient of w1"; the first and the last of more than two: "updates w0..b4". Nothing where
// the record names none.
std::string parameter_words(const report::ProfileRecord& record);
// "product, layer 1, gradient of w1".
std::string op_label(const report::ProfileRecord& record);

}  // namespace gdbench::answers
