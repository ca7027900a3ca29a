#include "harness/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/data/csv.h"
#include "harness/data/idx.h"
#include "harness/data/libsvm.h"
#include "harness/data/moments.h"
#include "harness/data/npy.h"
#include "harness/data/stream_dataset.h"
#include "harness/data/synthetic.h"
#include "harness/data/table.h"
#include "harness/scenario/constraints.h"

namespace gdbench::data {

namespace {

constexpr std::int64_t kMaxOrderEntries = 4'000'000;
constexpr std::int64_t kMaxEpochs = 16;
constexpr std::uintmax_t kKeptBytes = std::uintmax_t{32} << 20;  // of a CSV file whose numbers are worth keeping

struct SourceReader {
  const scenario::Scenario& scenario;
  const ReadingOptions& options;

  std::filesystem::path resolve(const std::filesystem::path& path) const { return scenario.file.parent_path() / path; }
  bool labels() const { return takes_labels(scenario.loss); }

  Result<Table> operator()(const scenario::SyntheticData& data) const {
    const double bytes = static_cast<double>(data.rows) * static_cast<double>(data.features + data.outputs) * 8;
    if (bytes > static_cast<double>(max_data_bytes())) {
      return usage_error(scenario.place() + ": /data: found data of " +
                         std::to_string(static_cast<std::int64_t>(bytes / 1e6)) + " MB in double, expected at most " +
                         std::to_string(max_data_bytes() / 1'000'000) + " MB, a quarter of this machine's memory");
    }
    return make_synthetic(data, catalogue::row_of(scenario.loss.kind).targets);
  }
  Result<Table> operator()(const scenario::CsvData& data) const {
    const std::filesystem::path file = resolve(data.path);
    const catalogue::Targets targets = catalogue::row_of(scenario.loss.kind).targets;
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
    if (unknown || bytes < kKeptBytes || options.kept.empty()) return read_csv(file, data, targets, options);
    Result<Converted> converted = convert_csv(file, data, targets, options);
    if (!converted.ok() && converted.error().kind != ErrorKind::usage) return read_csv(file, data, targets, options);
    return read_converted(TRY(std::move(converted)));
  }
  Result<Table> operator()(const scenario::NpyData& data) const {
    return read_npy(resolve(data.x), resolve(data.y), labels());
  }
  Result<Table> operator()(const scenario::StreamData&) const { return failure("a stream is no table"); }
  Result<Table> operator()(const scenario::LibsvmData& data) const {
    return read_libsvm(resolve(data.path), catalogue::row_of(scenario.loss.kind).targets);
  }
  Result<Table> operator()(const scenario::IdxData& data) const {
    return read_idx(resolve(data.x), resolve(data.labels));
  }
};

// For a loss of numbers: a column of 0 and 1 for each class.
void make_targets_of_labels(Table& table) {
  const auto classes = static_cast<std::size_t>(table.outputs);
  table.y.assign(static_cast<std::size_t>(table.rows) * classes, 0.0);
  for (std::size_t row = 0; row < table.labels.size(); ++row) {
    table.y[row * classes + static_cast<std::size_t>(table.labels[row])] = 1;
  }
  table.labels.clear();
  table.has_labels = false;
  table.remarks.push_back(cat("labels are targets of ", classes, " columns, 1 in that of the class and 0 elsewhere"));
}

// Standardises columns where the scenario says so. The task update has one row, of which nothing is to be said.
void take_moments(std::vector<double>& values, std::int64_t columns, const std::vector<std::string>& names,
                  const char* what, bool standardised, Table& table) {
  if (table.rows == 1 && !standardised) return;
  const ColumnMoments moments = moments_of(values, columns);
  const std::string constants = table.rows == 1 ? "" : constants_remark(moments, names, what);
  if (!constants.empty()) table.remarks.push_back(constants);
  if (standardised) standardise(values, moments);
}

// Converts [rows, columns] and refuses what is not finite in the scenario's dtype.
Status convert(const scenario::Scenario& scenario, const std::vector<double>& values, std::int64_t columns,
               const std::vector<std::string>& names, const std::string& what, std::byte* place) {
  return catalogue::with_element(scenario.dtype, [&](auto zero) -> Status {
    auto* converted = reinterpret_cast<decltype(zero)*>(place);
    for (std::size_t i = 0; i < values.size(); ++i) {
      converted[i] = static_cast<decltype(zero)>(values[i]);
      if (std::isfinite(converted[i])) continue;
      const std::size_t column = i % static_cast<std::size_t>(columns);
      const std::string column_name = names.empty() ? std::to_string(column) : in_quotes(names[column]);
      return usage_error(cat(scenario.place(), ": /data: found ", formatted("%g", values[i]), " in row ",
                             i / static_cast<std::size_t>(columns), ", ", what, " column ", column_name,
                             " (counted from 0), expected a finite ", name_of(scenario.dtype)));
    }
    return {};
  });
}

// [epochs, rows]: a Fisher-Yates shuffle per epoch (Durstenfeld, CACM 7, 1964), all from one seeded sequence.
void fill_order(std::uint32_t* order, std::int64_t epochs, std::int64_t rows, std::uint64_t seed) {
  Random random(seed);
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    std::uint32_t* rows_of_epoch = order + epoch * rows;
    std::iota(rows_of_epoch, rows_of_epoch + rows, 0U);
    for (std::int64_t i = rows - 1; i > 0; --i) {
      std::swap(rows_of_epoch[i], rows_of_epoch[random.below(static_cast<std::uint64_t>(i) + 1)]);
    }
  }
}

std::string digest_of(const Dataset& dataset, std::size_t x_bytes, std::size_t target_bytes) {
  Hash64 hash;
  hash.add(std::string(name_of(dataset.dtype)) + (dataset.has_labels ? " labels " : " values "));
  hash.add(std::to_string(dataset.rows) + " " + std::to_string(dataset.features) + " " +
           std::to_string(dataset.outputs) + " ");
  hash.add(dataset.memory.data() + dataset.x_offset, x_bytes);
  hash.add(dataset.memory.data() + dataset.target_offset, target_bytes);
  return hexadecimal(hash.value());
}

Result<Dataset> pack(const scenario::Scenario& scenario, Table table) {
  Dataset dataset;
  dataset.dtype = catalogue::storage_of(scenario.dtype);
  dataset.rows = table.rows;
  dataset.features = table.features;
  dataset.outputs = table.outputs;
  dataset.has_labels = table.has_labels;
  dataset.dropped_rows = table.dropped_rows;
  dataset.remarks = std::move(table.remarks);
  // A full batch is the same in any order.
  dataset.has_order = scenario.batch.rows && *scenario.batch.rows < table.rows && scenario.batch.shuffle;
  dataset.epochs = dataset.has_order ? std::clamp<std::int64_t>(kMaxOrderEntries / table.rows, 1, kMaxEpochs) : 1;

  const std::size_t x_bytes = table.x.size() * catalogue::size_of(scenario.dtype);
  const std::size_t target_bytes = table.has_labels ? table.labels.size() * sizeof(std::int32_t)
                                                    : table.y.size() * catalogue::size_of(scenario.dtype);
  const auto order_entries = dataset.has_order ? static_cast<std::size_t>(dataset.epochs * table.rows) : 0;
  dataset.target_offset = aligned_size(x_bytes);
  dataset.order_offset = dataset.target_offset + aligned_size(target_bytes);
  const std::size_t total = dataset.order_offset + aligned_size(order_entries * sizeof(std::uint32_t));
  dataset.memory = TRY(SharedMemory::create("gdbench-data", total));

  TRY(check_targets(scenario, table.y, table.outputs, 0));
  std::byte* base = dataset.memory.data();
  TRY(convert(scenario, table.x, table.features, table.feature_names, "feature", base));
  if (!table.has_labels) {
    TRY(convert(scenario, table.y, table.outputs, table.target_names, "target", base + dataset.target_offset));
  }
  std::copy(table.labels.begin(), table.labels.end(), reinterpret_cast<std::int32_t*>(base + dataset.target_offset));
  if (dataset.has_order) {
    fill_order(reinterpret_cast<std::uint32_t*>(base + dataset.order_offset), dataset.epochs, dataset.rows,
               scenario.batch.seed);
  }
  dataset.digest = digest_of(dataset, x_bytes, target_bytes);
  // No worker may change what others train on. Kernels before 5.1 cannot promise it, which doctor says.
  static_cast<void>(dataset.memory.seal());
  dataset.feature_names = std::move(table.feature_names);
  dataset.class_names = std::move(table.class_names);
  return dataset;
}

}  // namespace

Status check_targets(const scenario::Scenario& scenario, const std::vector<double>& y, std::int64_t outputs,
                     std::int64_t first_row) {
  if (catalogue::row_of(scenario.loss.kind).targets != catalogue::Targets::shares) return {};
  const auto wrong = std::ranges::find_if(y, [](double value) { return !(value >= 0 && value <= 1); });
  if (wrong == y.end()) return {};
  const std::set<double> values(y.begin(), y.end());
  const auto is_integer = [](double value) { return value == std::floor(value); };
  const bool two = values.size() == 2 && std::ranges::all_of(values, is_integer) &&
                   std::holds_alternative<scenario::CsvData>(scenario.data);
  const auto* stream = std::get_if<scenario::StreamData>(&scenario.data);
  const bool may_be_two = stream != nullptr && !stream->is_npy();
  const std::string remedy =
      two          ? formatted(" (\"positive\": \"%g\" makes 1 of it and 0 of the other)", *values.rbegin())
      : may_be_two ? " (of two, \"positive\" in /data names the one that is 1)"
                   : "";
  return usage_error(cat(scenario.place(), ": /data: found the target ", formatted("%g", *wrong), " in row ",
                         first_row + (wrong - y.begin()) / outputs,
                         " (counted from 0), expected a number from 0 to 1, which the loss ",
                         name_of(scenario.loss.kind), " takes", remedy));
}

void Dataset::rows_of(const scenario::Problem& problem, std::int64_t step, std::int64_t first, std::int64_t count,
                      std::int64_t* indices) const {
  const std::int64_t steps_per_epoch = problem.steps_per_epoch();
  const std::int64_t within_epoch = step % steps_per_epoch * problem.batch_rows + first;
  if (!has_order) return std::iota(indices, indices + count, within_epoch);
  std::copy_n(order() + step / steps_per_epoch % epochs * rows + within_epoch, count, indices);
}

std::int64_t Dataset::batch_size(const scenario::Problem& problem, std::int64_t step) const {
  const std::int64_t first = step % problem.steps_per_epoch() * problem.batch_rows;
  return std::min(problem.batch_rows, rows - first);
}

Result<Dataset> make_dataset(const scenario::Scenario& scenario, const ReadingOptions& options) {
  try {
    if (std::holds_alternative<scenario::StreamData>(scenario.data)) return make_stream_dataset(scenario, options);
    Table table = TRY(std::visit(SourceReader{scenario, options}, scenario.data));
    if (table.has_labels && !takes_labels(scenario.loss)) make_targets_of_labels(table);
    const scenario::Standardise& made = scenario.standardise;
    take_moments(table.x, table.features, table.feature_names, "feature", made.features, table);
    if (!table.has_labels) take_moments(table.y, table.outputs, table.target_names, "target", made.targets, table);
    return pack(scenario, std::move(table));
  } catch (const std::bad_alloc&) {
    return failure(scenario.place() + ": no memory for its data");
  } catch (const std::exception& error) {
    return failure(one_line(scenario.place() + ": data cannot be made: " + error.what()));
  }
}

Result<scenario::Problem> make_problem(const scenario::Scenario& scenario, const Dataset& dataset) {
  if (dataset.has_labels && dataset.outputs < 2) {
    return usage_error(scenario.place() + ": /data: found one class only, expected at least two");
  }
  const scenario::DataShape shape = {dataset.rows, dataset.features, dataset.outputs};
  std::optional<scenario::Fault> fault = scenario::find_target_fault(scenario);
  if (!fault) fault = scenario::find_shape_fault(scenario, shape);
  if (fault) {
    return usage_error(one_line(
        cat(scenario.place(), ": ", fault->pointer, ": found ", fault->found, ", expected ", fault->expected)));
  }
  scenario::Problem problem;
  problem.task = scenario.task;
  problem.dtype = scenario.dtype;
  problem.layers = scenario::layers_of(scenario.model, shape);
  problem.loss = scenario.loss;
  problem.rows = dataset.rows;
  problem.batch_rows = scenario.batch.rows.value_or(dataset.rows);
  problem.micro_batches = scenario.batch.micro_batches;
  problem.drops_last_batch = scenario.batch.drop_last && problem.rows % problem.batch_rows != 0;
  problem.optimizer = scenario.optimizer;
  // The sum of losses moves by a rate of 1 against what stands for its gradient, minus the loss (verify/reference.h).
  if (problem.task == scenario::Task::forward) problem.optimizer = {.learning_rates = {1.0}};
  problem.loss_scaling = scenario.loss_scaling;
  problem.rounding_seed = scenario.initial.seed;
  problem.flushes_denormals = scenario.denormals == scenario::Denormals::flush;
  return problem;
}

}  // namespace gdbench::data
