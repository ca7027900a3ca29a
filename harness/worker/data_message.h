// The data of the request `load`, as PROTOCOL.md describes it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "harness/base/result.h"
#include "harness/scenario/dataset.h"
#include "harness/scenario/stream.h"

namespace gdbench::worker {

// Where the arrays of a data set lie in shared memory, or the file that they are streamed from.
struct DataMessage {
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 0;
  std::size_t x_offset = 0;
  std::size_t target_offset = 0;
  bool has_labels = false;
  std::int64_t epochs = 0;  // 0: no order
  std::size_t order_offset = 0;
  std::optional<scenario::StreamFile> stream;  // x, targets and order are not in memory then
};

DataMessage describe(const scenario::Dataset& dataset);

nlohmann::json to_json(const DataMessage& message);
// Errors: unsupported where a name is unknown. Throws json::exception where a member is missing or malformed.
Result<DataMessage> data_from_json(const nlohmann::json& object);

}  // namespace gdbench::worker
