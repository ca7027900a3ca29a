// What a strategy says to a profile sink.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies {

// By op and phase, the parts of the model together.
using Records = std::map<std::pair<std::string, catalogue::Phase>, gdbench_profile_record>;

struct Said {
  Records records;
  // "backward product 1 gradient 2": phase, op, layers, use and parameters by their indices, as far as they are named.
  // Sorted.
  std::vector<std::string> parts;
  double left_out_ns = 0;
};

inline std::string text_of(std::int64_t first, std::int64_t last) {
  return " " + std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

inline std::string text_of(const gdbench_profile_record& record, const gdbench_model_part* part) {
  constexpr const char* kUses[] = {" reads", " gradient", " updates"};
  std::string text = std::string(name_of(static_cast<catalogue::Phase>(record.phase))) + " " + record.op;
  if (part != nullptr && part->first_layer >= 0) text += text_of(part->first_layer, part->last_layer);
  if (part == nullptr || part->first_parameter < 0) return text;
  return text + kUses[part->use] + text_of(part->first_parameter, part->last_parameter);
}

inline void add(Said& said, const gdbench_profile_record& record, const gdbench_model_part* part) {
  const auto [place, fresh] =
      said.records.emplace(std::pair(record.op, static_cast<catalogue::Phase>(record.phase)), record);
  if (!fresh) {
    place->second.calls += record.calls;
    place->second.time_ns += record.time_ns;
    place->second.flops += record.flops;
    place->second.bytes += record.bytes;
  }
  said.parts.push_back(text_of(record, part));
}

inline Said said_by(Strategy& strategy, std::uint64_t steps) {
  Said said;
  const gdbench_profile_sink sink{
      sizeof(sink), &said,
      [](void* context, const gdbench_profile_record* record) { add(*static_cast<Said*>(context), *record, nullptr); },
      [](void* context, const gdbench_profile_record* record, const gdbench_model_part* part) {
        add(*static_cast<Said*>(context), *record, part);
      },
      [](void* context, double time_ns) { static_cast<Said*>(context)->left_out_ns += time_ns; }};
  strategy.profile(steps, sink);
  std::sort(said.parts.begin(), said.parts.end());
  EXPECT_EQ(std::adjacent_find(said.parts.begin(), said.parts.end()), said.parts.end()) << "said twice";
  return said;
}

}  // namespace gdbench::strategies
