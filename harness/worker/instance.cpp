#include "harness/worker/instance.h"

#include <algorithm>
#include <cmath>
#include <utility>

// Defined by the preloaded library only.
extern "C" __attribute__((weak, visibility("default"))) void gdbench_allocation_totals(std::uint64_t* calls,
                                                                                       std::uint64_t* bytes);

namespace gdbench::worker {

namespace {

Status check_range(std::size_t offset, std::int64_t count, std::size_t element_bytes, std::size_t available,
                   const char* what) {
  const std::size_t bytes = static_cast<std::size_t>(count) * element_bytes;
  if (count >= 0 && offset % GDBENCH_ALIGNMENT == 0 && offset <= available && bytes <= available - offset) return {};
  return failure(std::string(what) + " does not lie within the shared memory");
}

std::vector<gdbench_tensor> tensors_in(const std::vector<protocol::StateLayout::Entry>& entries, std::byte* image) {
  std::vector<gdbench_tensor> tensors;
  for (const protocol::StateLayout::Entry& entry : entries)
    tensors.push_back({image + entry.offset, entry.rows, entry.columns});
  return tensors;
}

}  // namespace

std::optional<protocol::AllocationTotals> allocation_totals() {
  if (gdbench_allocation_totals == nullptr) return std::nullopt;
  protocol::AllocationTotals totals;
  gdbench_allocation_totals(&totals.calls, &totals.bytes);
  return totals;
}

Instance::~Instance() {
  if (handle_ != nullptr) implementation_->destroy(handle_);
}

Status Instance::convert(gdbench_status status, const char* function) {
  if (status == GDBENCH_OK) return {};
  const std::string message = library_->take_error(std::string(function) + " failed without a reason");
  if (status == GDBENCH_UNSUPPORTED) return unsupported(message);
  if (status == GDBENCH_OUT_OF_MEMORY) return failure("out of memory in " + std::string(function) + ": " + message);
  return failure(message);
}

template <class Call>
gdbench_status Instance::counted(Call call) {
  const std::optional<protocol::AllocationTotals> before = allocation_totals();
  const gdbench_status status = call();
  if (before) {
    const protocol::AllocationTotals allocated = *allocation_totals() - *before;
    const protocol::AllocationTotals earlier = preparation_.value_or(protocol::AllocationTotals{});
    preparation_ = {earlier.calls + allocated.calls, earlier.bytes + allocated.bytes};
  }
  return status;
}

Status Instance::create(PluginLibrary& library, const std::string& id) {
  library_ = &library;
  implementation_ = library.find(id);
  if (implementation_ == nullptr) return unsupported("this plugin has no implementation " + id);
  return convert(implementation_->create(&handle_), "create");
}

Status Instance::describe_resident(const protocol::DataMessage& message) {
  const auto& target = message.labels ? message.labels : message.y;
  if (!message.x || !target) return failure("load: /data: found no x, or neither y nor labels, expected both");
  const std::size_t size = data_memory_.size();
  const std::size_t element = scenario::size_of(message.dtype);
  const std::size_t target_element = message.labels ? sizeof(std::int32_t) : element;
  const std::int64_t targets = message.labels ? message.rows : message.rows * message.outputs;
  const protocol::OrderPlace order = message.order.value_or(protocol::OrderPlace());
  TRY(check_range(message.x->offset, message.rows * message.features, element, size, "x"));
  TRY(check_range(target->offset, targets, target_element, size, "the target"));
  TRY(check_range(order.offset, order.epochs * message.rows, sizeof(std::uint32_t), size, "the order"));
  data_.x = data_memory_.data() + message.x->offset;
  const std::byte* values = data_memory_.data() + target->offset;
  if (message.labels) data_.labels = reinterpret_cast<const std::int32_t*>(values);
  if (!message.labels && message.outputs > 0) data_.y = values;
  if (order.epochs > 0) {
    data_.order = reinterpret_cast<const std::uint32_t*>(data_memory_.data() + order.offset);
    data_.epochs = order.epochs;
  }
  return {};
}

Status Instance::describe_stream(const protocol::DataMessage& message) {
  if (!message.stream) return failure("load: /data: found no stream, expected one");
  stream_file_ = *message.stream;
  const data::StreamFile& from = stream_file_;
  const auto fits = [](const auto& values, std::size_t count) { return values.empty() || values.size() == count; };
  const std::size_t targets = from.target_columns.size();
  if (from.feature_columns.size() != static_cast<std::size_t>(message.features) || targets == 0 ||
      !fits(from.feature_means, from.feature_columns.size()) ||
      !fits(from.feature_scales, from.feature_columns.size()) || !fits(from.target_means, targets) ||
      !fits(from.target_scales, targets)) {
    return failure("the stream's columns differ from the data's");
  }
  const auto data_or_null = [](const std::vector<double>& values) { return values.empty() ? nullptr : values.data(); };
  stream_ = {.struct_size = sizeof stream_,
             .path = from.path.c_str(),
             .format = static_cast<std::int32_t>(from.format),
             .element = static_cast<std::int32_t>(from.element),
             .feature_columns = from.feature_columns.data(),
             .target_columns = from.target_columns.data(),
             .memory_cap_bytes = from.memory_cap_bytes,
             .feature_means = data_or_null(from.feature_means),
             .feature_scales = data_or_null(from.feature_scales),
             .target_means = data_or_null(from.target_means),
             .target_scales = data_or_null(from.target_scales),
             .column_count = from.column_count,
             .first_byte = from.first_byte,
             .file_bytes = from.file_bytes,
             .modified_ns = from.modified_ns};
  data_.stream = &stream_;
  return {};
}

Status Instance::load(const protocol::DataMessage& message, SharedMemory memory) {
  data_memory_ = std::move(memory);
  data_ = {};
  data_.struct_size = sizeof data_;
  data_.dtype = static_cast<std::int32_t>(message.dtype);
  data_.rows = message.rows;
  data_.features = message.features;
  data_.outputs = message.outputs;
  // At least one, so that the formula at gdbench_data.order does not divide by zero where there is no order.
  data_.epochs = 1;
  const bool streamed = message.source == protocol::DataSource::streamed;
  TRY(streamed ? describe_stream(message) : describe_resident(message));
  Status status = convert(counted([&] { return implementation_->load(handle_, &data_); }), "load");
  loaded_ = status.ok();
  return status;
}

Status Instance::prepare(const scenario::Problem& problem, const std::map<std::string, std::string>& options,
                         const protocol::ThreadSettings& threads, SharedMemory state_memory,
                         const gdbench_ranks* ranks) {
  problem_ = problem;
  layers_.clear();
  normalizations_.clear();
  for (const scenario::Layer& layer : problem_.layers) {
    layers_.push_back({layer.inputs, layer.outputs, static_cast<std::int32_t>(layer.activation), layer.bias ? 1 : 0});
    normalizations_.push_back(static_cast<std::int32_t>(layer.normalization));
  }
  optimizer_ = {};
  optimizer_.struct_size = sizeof optimizer_;
  optimizer_.kind = static_cast<std::int32_t>(problem_.optimizer.kind);
  optimizer_.decoupled_weight_decay = problem_.optimizer.decoupled_weight_decay ? 1 : 0;
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    optimizer_.*constant->abi_member = problem_.optimizer.*constant->member;
  }
  optimizer_.epsilon_place = static_cast<std::int32_t>(problem_.optimizer.epsilon_place);
  optimizer_.weight_decay = problem_.optimizer.weight_decay;
  optimizer_.learning_rates = problem_.optimizer.learning_rates.data();
  optimizer_.learning_rate_count = static_cast<std::int64_t>(problem_.optimizer.learning_rates.size());
  abi_problem_ = {};
  abi_problem_.struct_size = sizeof abi_problem_;
  abi_problem_.task = static_cast<std::int32_t>(problem_.task);
  abi_problem_.dtype = static_cast<std::int32_t>(problem_.dtype);
  abi_problem_.layer_count = static_cast<std::int64_t>(layers_.size());
  abi_problem_.layers = layers_.data();
  abi_problem_.normalizations = normalizations_.data();
  abi_problem_.loss = static_cast<std::int32_t>(problem_.loss.kind);
  abi_problem_.huber_delta = problem_.loss.huber_delta;
  if (catalogue::scales_loss(problem_.dtype)) {
    abi_problem_.scale_growth_interval = problem_.loss_scaling.growth_interval;
  }
  if (problem_.dtype == catalogue::Dtype::bf16) abi_problem_.rounding_seed = problem_.rounding_seed;
  abi_problem_.batch_rows = problem_.batch_rows;
  abi_problem_.micro_batches = problem_.micro_batches;
  abi_problem_.drops_last_batch = problem_.drops_last_batch ? 1 : 0;
  abi_problem_.optimizer = &optimizer_;

  threads_ = threads;
  option_texts_ = options;
  options_.clear();
  for (const auto& [key, value] : option_texts_) options_.push_back({key.c_str(), value.c_str()});
  settings_ = {};
  settings_.struct_size = sizeof settings_;
  settings_.compute_threads = threads_.compute;
  settings_.compute_core_count = static_cast<std::int32_t>(threads_.compute_cores.size());
  settings_.compute_cores = threads_.compute_cores.data();
  settings_.helper_core_count = static_cast<std::int32_t>(threads_.helper_cores.size());
  settings_.helper_cores = threads_.helper_cores.data();
  settings_.option_count = static_cast<std::int64_t>(options_.size());
  settings_.options = options_.data();
  settings_.ranks = ranks;

  state_memory_ = std::move(state_memory);
  layout_ = protocol::state_layout(problem_);
  Status status =
      convert(counted([&] { return implementation_->prepare(handle_, &abi_problem_, &settings_); }), "prepare");
  prepared_ = status.ok();
  return status;
}

std::optional<int> Instance::helper_threads() const {
  if (implementation_->helper_threads_in_use == nullptr) return std::nullopt;
  return implementation_->helper_threads_in_use(handle_);
}

std::optional<std::map<std::string, std::string>> Instance::runtime() const {
  const char* const text = implementation_->runtime == nullptr ? nullptr : implementation_->runtime(handle_);
  if (text == nullptr) return std::nullopt;
  return std::map<std::string, std::string>{{"library", text}};
}

Result<std::optional<Instance::Import>> Instance::imported() {
  if (implementation_->imported == nullptr) return std::optional<Import>();
  Import loaded;
  TRY(convert(implementation_->imported(handle_, &loaded.ns, &loaded.resident_bytes), "imported"));
  return std::optional<Import>(loaded);
}

Result<gdbench_state> Instance::state_in(std::size_t image, std::int64_t step) {
  if ((image + 1) * layout_.image_bytes > state_memory_.size()) {
    return failure("state image " + std::to_string(image) + " does not lie within the shared memory");
  }
  std::byte* start = state_memory_.data() + image * layout_.image_bytes;
  parameters_ = tensors_in(layout_.parameters, start);
  slots_ = tensors_in(layout_.slots, start);
  gdbench_state state{};
  state.struct_size = sizeof state;
  state.step = step;
  state.parameter_count = static_cast<std::int64_t>(parameters_.size());
  state.parameters = parameters_.data();
  state.slot_count = static_cast<std::int64_t>(scenario::slot_count(problem_.optimizer.kind));
  state.slots = slots_.data();
  if (!layout_.loss_scaling.empty()) {
    state.loss_scaling = reinterpret_cast<float*>(start + layout_.loss_scaling.front().offset);
  }
  return state;
}

Status Instance::set_state(std::size_t image, std::int64_t step) {
  gdbench_state state = TRY(state_in(image, step));
  return convert(implementation_->set_state(handle_, &state), "set_state");
}

Result<std::int64_t> Instance::get_state(std::size_t image) {
  gdbench_state state = TRY(state_in(image, 0));
  TRY(convert(implementation_->get_state(handle_, &state), "get_state"));
  return state.step;
}

Status Instance::run(std::uint64_t steps) {
  gdbench_status status = implementation_->run(handle_, steps);
  if (status == GDBENCH_OK && implementation_->sync != nullptr) status = implementation_->sync(handle_);
  // The common case returns without touching a string: this is inside the clock.
  return status == GDBENCH_OK ? Status{} : convert(status, "run");
}

Result<std::optional<double>> Instance::device_ns() {
  if (implementation_->device_time == nullptr) return std::optional<double>();
  double nanoseconds = 0;
  TRY(convert(implementation_->device_time(handle_, &nanoseconds), "device_time"));
  if (!std::isfinite(nanoseconds) || nanoseconds < 0) {
    return failure("device_time: found " + std::to_string(nanoseconds) + " ns, expected a time");
  }
  return std::optional<double>(nanoseconds);
}

std::optional<std::int64_t> Instance::device_bytes() {
  if (implementation_->device_memory == nullptr) return std::nullopt;
  return implementation_->device_memory(handle_);
}

Result<double> Instance::evaluate(int split) {
  if (implementation_->evaluate == nullptr) return unsupported("this implementation has no evaluate");
  double loss = 0;
  TRY(convert(implementation_->evaluate(handle_, split, &loss), "evaluate"));
  return loss;
}

Result<ProfileRecords> Instance::profile(std::uint64_t steps) {
  if (implementation_->profile == nullptr) return unsupported("this implementation has no profile");
  ProfileRecords records;
  const gdbench_profile_sink sink = records.sink();
  TRY(convert(implementation_->profile(handle_, steps, &sink), "profile"));
  return records;
}

}  // namespace gdbench::worker
