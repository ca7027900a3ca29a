// The fields of the protocol's messages, for both directions; see harness/base/fields.h. What may be left out is
// optional. For .cpp files only, as it includes nlohmann/json.
#pragma once

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/record_reader.h"
#include "harness/base/record_writer.h"
#include "harness/protocol/protocol.h"

namespace gdbench::catalogue {

// Constants that a kind does not read may be absent.
void fields(auto& archive, Of<Optimizer> auto& optimizer) {
  archive.field("kind", optimizer.kind);
  archive.non_empty("learning_rates", optimizer.learning_rates);
  for (const OptimizerConstant* constant : kOptimizerConstants) {
    archive.optional(constant->name, optimizer.*constant->member);
  }
  archive.optional("weight_decay", optimizer.weight_decay);
  archive.optional("decoupled_weight_decay", optimizer.decoupled_weight_decay);
}

}  // namespace gdbench::catalogue

namespace gdbench::scenario {

void fields(auto& archive, Of<Layer> auto& layer) {
  archive.field("inputs", layer.inputs);
  archive.field("outputs", layer.outputs);
  archive.field("activation", layer.activation);
  archive.field("bias", layer.bias);
}

void fields(auto& archive, Of<Problem> auto& problem) {
  archive.field("task", problem.task);
  archive.field("dtype", problem.dtype);
  archive.field("rows", problem.rows);
  archive.field("batch_rows", problem.batch_rows);
  archive.optional("micro_batches", problem.micro_batches);
  archive.field("loss", problem.loss.kind);
  archive.optional("huber_delta", problem.loss.huber_delta);
  archive.non_empty("layers", problem.layers);
  archive.field("optimizer", problem.optimizer);
}

}  // namespace gdbench::scenario

namespace gdbench::data {

void fields(auto& archive, Of<StreamFile> auto& file) {
  archive.field("path", file.path);
  archive.field("format", file.format);
  archive.optional("element", file.element);
  archive.field("column_count", file.column_count);
  archive.field("feature_columns", file.feature_columns);
  archive.field("target_columns", file.target_columns);
  archive.field("first_byte", file.first_byte);
  archive.field("file_bytes", file.file_bytes);
  archive.field("modified_ns", file.modified_ns);
  archive.field("memory_cap_bytes", file.memory_cap_bytes);
  archive.unless_empty("feature_means", file.feature_means);
  archive.unless_empty("feature_scales", file.feature_scales);
  archive.unless_empty("target_means", file.target_means);
  archive.unless_empty("target_scales", file.target_scales);
}

}  // namespace gdbench::data

namespace gdbench::protocol {

void fields(auto& archive, Of<Refusal> auto& refusal) {
  archive.field("kind", refusal.kind);
  archive.field("message", refusal.message);
}

void fields(auto& archive, Of<Outcome> auto& outcome) {
  archive.field("ok", outcome.ok);
  if (!outcome.ok) archive.field("error", outcome.error);
}

void fields(auto& /*archive*/, Of<Done> auto& /*done*/) {}

void fields(auto& archive, Of<AllocationTotals> auto& totals) {
  archive.field("calls", totals.calls);
  archive.field("bytes", totals.bytes);
}

void fields(auto& archive, Of<OutsideTime> auto& outside) {
  archive.field("cpu_ns", outside.cpu_ns);
  archive.field("real_ns", outside.real_ns);
}

void fields(auto& archive, Of<ProtocolVersion> auto& version) {
  archive.field("major", version.major);
  archive.field("minor", version.minor);
}

void fields(auto& archive, Of<OptionDeclaration> auto& option) {
  archive.field("key", option.key);
  if (archive.has("type")) archive.named_or_default("type", option.type);
  archive.optional("default", option.default_value);
  archive.optional("choices", option.choices);
  archive.optional("description", option.description);
}

void fields(auto& archive, Of<ImplementationDescription> auto& implementation) {
  archive.field("id", implementation.id);
  archive.optional("description", implementation.description);
  archive.optional("build", implementation.build);
  archive.optional("tasks", implementation.tasks);
  archive.optional("dtypes", implementation.dtypes);
  archive.optional("activations", implementation.activations);
  archive.optional("losses", implementation.losses);
  archive.optional("optimizers", implementation.optimizers);
  archive.optional("capabilities", implementation.capabilities);
  archive.optional("max_layers", implementation.max_layers);
  archive.optional("max_compute_threads", implementation.max_compute_threads);
  archive.optional("helper_threads", implementation.helper_threads);
  archive.optional("options", implementation.options);
  archive.optional("unavailable", implementation.unavailable);
}

void fields(auto& archive, Of<WorkerDescription> auto& worker) { archive.optional("build", worker.build); }

void fields(auto& archive, Of<PluginDescription> auto& plugin) {
  archive.optional("name", plugin.name);
  archive.optional("version", plugin.version);
}

void fields(auto& archive, Of<HelloAnswer> auto& hello) {
  archive.field("protocol", hello.protocol);
  archive.optional("worker", hello.worker);
  archive.optional("plugin", hello.plugin);
  archive.field("implementations", hello.implementations);
}

void fields(auto& archive, Of<HelloRequest> auto& hello) { archive.field("protocol", hello.protocol); }

void fields(auto& archive, Of<SharedRegion> auto& region) {
  archive.field("fd", region.fd);
  archive.field("bytes", region.bytes);
  archive.optional("image_bytes", region.image_bytes);
}

void fields(auto& archive, Of<ArrayPlace> auto& place) { archive.field("offset", place.offset); }

void fields(auto& archive, Of<OrderPlace> auto& place) {
  archive.field("offset", place.offset);
  archive.field("epochs", place.epochs);
}

void fields(auto& archive, Of<DataMessage> auto& data) {
  archive.field("source", data.source);
  archive.field("dtype", data.dtype);
  archive.field("rows", data.rows);
  archive.field("features", data.features);
  archive.field("outputs", data.outputs);
  archive.optional("x", data.x);
  archive.optional("y", data.y);
  archive.optional("labels", data.labels);
  archive.optional("order", data.order);
  archive.optional("stream", data.stream);
}

void fields(auto& archive, Of<LoadRequest> auto& load) {
  archive.field("implementation", load.implementation);
  archive.field("memory", load.memory);
  archive.field("data", load.data);
}

void fields(auto& archive, Of<ThreadSettings> auto& threads) {
  archive.field("compute", threads.compute);
  archive.optional("compute_cores", threads.compute_cores);
  archive.optional("helper_cores", threads.helper_cores);
}

void fields(auto& archive, Of<PrepareAnswer> auto& prepared) {
  archive.if_readable("helper_threads", prepared.helper_threads);
  archive.if_readable("allocations", prepared.allocations);
  archive.if_readable("import_ns", prepared.import_ns);
  archive.if_readable("imported_resident_bytes", prepared.imported_resident_bytes);
  archive.if_readable("runtime", prepared.runtime);
}

void fields(auto& archive, Of<PrepareRequest> auto& prepare) {
  archive.field("problem", prepare.problem);
  archive.optional("options", prepare.options);
  archive.field("threads", prepare.threads);
  archive.field("state", prepare.state);
}

void fields(auto& archive, Of<SetStateRequest> auto& request) {
  archive.field("image", request.image);
  archive.field("step", request.step);
}

void fields(auto& archive, Of<StateAnswer> auto& state) {
  archive.field("step", state.step);
  archive.if_readable("outside", state.outside);
}

void fields(auto& archive, Of<GetStateRequest> auto& request) { archive.field("image", request.image); }

void fields(auto& archive, Of<RunAnswer> auto& run) {
  archive.field("start_ns", run.start_ns);
  archive.field("end_ns", run.end_ns);
  archive.field("real_ns", run.real_ns);
  archive.field("cpu_ns", run.cpu_ns);
  archive.optional("control_word", run.control_word);
  archive.if_readable("allocations", run.allocations);
  archive.optional("traces", run.traces);
}

void fields(auto& archive, Of<RunRequest> auto& run) {
  archive.field("steps", run.steps);
  archive.optional("added_iterations", run.added_iterations);
}

void fields(auto& archive, Of<EvaluateAnswer> auto& evaluation) {
  archive.number_or_null("loss", evaluation.loss);
  archive.if_readable("real_ns", evaluation.real_ns);
}

void fields(auto& archive, Of<EvaluateRequest> auto& evaluate) { archive.optional("split", evaluate.split); }

void fields(auto& archive, Of<OpTotals> auto& op) {
  archive.field("op", op.op);
  archive.named_or_default("phase", op.phase);
  archive.optional("clock", op.clock);
  archive.optional("calls", op.calls);
  archive.field("time_ns", op.time_ns);
  archive.optional("flops", op.flops);
  archive.optional("bytes", op.bytes);
  archive.optional("allocations", op.allocations);
  archive.unless_empty("layers", op.layers);
  archive.unless_empty("parameters", op.parameters);
  archive.optional("use", op.use);
}

void fields(auto& archive, Of<FloorCall> auto& call) {
  archive.field("op", call.op);
  archive.field("time_ns", call.time_ns);
}

void fields(auto& archive, Of<ProfileAnswer> auto& profile) {
  archive.field("real_ns", profile.real_ns);
  archive.field("records", profile.records);
  archive.optional("dispatches", profile.dispatches);
  archive.unless_empty("floor", profile.floor);
}

void fields(auto& archive, Of<ProfileRequest> auto& profile) { archive.field("steps", profile.steps); }

void fields(auto& /*archive*/, Of<ByeRequest> auto& /*bye*/) {}

// Reads a message; `origin` begins errors. Fields that are unknown are ignored, unknown names are unsupported: both may
// be of a newer minor version.
template <class Message>
Result<Message> message_from(const Json& object, const std::string& origin) {
  RecordReader::Context context{.origin = origin,
                                .ignore_unknown = true,
                                .mistake = ErrorKind::failed,
                                .unknown_name = ErrorKind::unsupported,
                                .null_is_nan = false};
  Message message;
  RecordReader::decode(object, Place(), message, context);
  if (context.error) return *context.error;
  return message;
}

}  // namespace gdbench::protocol
