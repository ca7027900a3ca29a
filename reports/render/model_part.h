// Layers and parameters of a profile's ops, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/profile.h"

namespace gdbench::render {

// "0", "0-4" for layers that follow each other, "0,2" for others; layers ascend.
std::string layer_numbers(const std::vector<std::int64_t>& layers);
// ", layer 0", ", layers 0-4"; nothing for none.
std::string layer_words(const std::vector<std::int64_t>& layers);

// "reads w0", "reads w0 b0", "gradient of w1"; the first and the last of more than two: "updates w0..b4". Nothing where
// the record names none.
std::string parameter_words(const report::ProfileRecord& record);

// "product, layer 1, gradient of w1".
std::string op_label(const report::ProfileRecord& record);

}  // namespace gdbench::render
