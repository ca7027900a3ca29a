#include "harness/report/prediction.h"

#include "harness/report/fields.h"

namespace gdbench::report {

FIELDS_OF(Network, latency_ns, byte_ns, adding_byte_ns)
FIELDS_OF(PredictedCell, cell, measured_ns, predicted_ns, left_out_ns)
FIELDS_OF(FittedNetwork, implementation, options, network, cells)
FIELDS_OF(PredictedStep, ranks, rows, computing_ns, exchanging_ns, adding_ns, step_ns, all_reduce, speed_up)
FIELDS_OF(Prediction, scenario, implementation, options, threads, batch_rows, gradient_bytes, fixed_ns, row_ns, network,
          steps, fastest, cells)
FIELDS_OF(Predictions, described, fitted, predictions, notes)

OrderedJson to_json(const Predictions& predictions) {
  return RecordWriter::document("gdbench-prediction", 1, 1, predictions);
}

}  // namespace gdbench::report
