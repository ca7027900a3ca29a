#include "harness/worker/data_message.h"

namespace gdbench::worker {

DataMessage describe(const scenario::Dataset& dataset) {
  DataMessage message{
      .dtype = dataset.dtype, .rows = dataset.rows, .features = dataset.features, .outputs = dataset.outputs};
  if (dataset.stream) {
    message.source = DataSource::streamed;
    message.stream = dataset.stream->file();
    return message;
  }
  message.x = {dataset.x_offset};
  (dataset.has_labels ? message.labels : message.y) = {dataset.target_offset};
  if (dataset.has_order) message.order = {dataset.order_offset, dataset.epochs};
  return message;
}

}  // namespace gdbench::worker
