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
  OPTIONAL_FIELDS(archive, optimizer, epsilon_place, weight_decay, decoupled_weight_decay);
}

}  // namespace gdbench::catalogue

namespace gdbench::scenario {

void fields(auto& archive, Of<Layer> auto& layer) {
  FIELDS(archive, layer, inputs, outputs, activation, bias);
  archive.optional("normalization", layer.normalization);
}

void fields(auto& archive, Of<Problem> auto& problem) {
  FIELDS(archive, problem, task, dtype, rows, batch_rows);
  archive.optional("micro_batches", problem.micro_batches);
  archive.optional("drops_last_batch", problem.drops_last_batch);
  archive.field("loss", problem.loss.kind);
  archive.optional("huber_delta", problem.loss.huber_delta);
  if (catalogue::scales_loss(problem.dtype)) {
    archive.optional("scale_growth_interval", problem.loss_scaling.growth_interval);
  }
  if (problem.dtype == Dtype::bf16) archive.optional("rounding_seed", problem.rounding_seed);
  archive.optional("flushes_denormals", problem.flushes_denormals);
  archive.non_empty("layers", problem.layers);
  archive.field("optimizer", problem.optimizer);
}

}  // namespace gdbench::scenario

namespace gdbench::data {

void fields(auto& archive, Of<StreamFile> auto& file) {
  FIELDS(archive, file, path, format);
  archive.optional("element", file.element);
  FIELDS(archive, file, column_count, feature_columns, target_columns, first_byte, file_bytes, modified_ns,
         memory_cap_bytes);
  archive.unless_empty("feature_means", file.feature_means);
  archive.unless_empty("feature_scales", file.feature_scales);
  archive.unless_empty("target_means", file.target_means);
  archive.unless_empty("target_scales", file.target_scales);
}

}  // namespace gdbench::data

namespace gdbench::protocol {

FIELDS_OF(Refusal, kind, message)

void fields(auto& archive, Of<Outcome> auto& outcome) {
  archive.field("ok", outcome.ok);
  if (!outcome.ok) archive.field("error", outcome.error);
}

void fields(auto& /*archive*/, Of<Done> auto& /*done*/) {}

FIELDS_OF(AllocationTotals, calls, bytes)
FIELDS_OF(OutsideTime, cpu_ns, real_ns)
FIELDS_OF(ProtocolVersion, major, minor)

void fields(auto& archive, Of<OptionDeclaration> auto& option) {
  archive.field("key", option.key);
  if (archive.has("type")) archive.named_or_default("type", option.type);
  archive.optional("default", option.default_value);
  OPTIONAL_FIELDS(archive, option, choices, description);
}

void fields(auto& archive, Of<ImplementationDescription> auto& implementation) {
  archive.field("id", implementation.id);
  OPTIONAL_FIELDS(archive, implementation, description, build, tasks, dtypes, activations, losses, optimizers,
                  capabilities, max_layers, max_compute_threads, helper_threads, options, epsilon_places, unavailable);
}

void fields(auto& archive, Of<WorkerDescription> auto& worker) { archive.optional("build", worker.build); }

void fields(auto& archive, Of<PluginDescription> auto& plugin) { OPTIONAL_FIELDS(archive, plugin, name, version); }

void fields(auto& archive, Of<HelloAnswer> auto& hello) {
  archive.field("protocol", hello.protocol);
  OPTIONAL_FIELDS(archive, hello, worker, plugin);
  archive.field("implementations", hello.implementations);
}

FIELDS_OF(HelloRequest, protocol)

FIELDS_OF(SupportsAnswer, reason)
FIELDS_OF(SupportsRequest, implementation, problem)

void fields(auto& archive, Of<SharedRegion> auto& region) {
  FIELDS(archive, region, fd, bytes);
  archive.optional("image_bytes", region.image_bytes);
}

FIELDS_OF(ArrayPlace, offset)
FIELDS_OF(OrderPlace, offset, epochs)

void fields(auto& archive, Of<DataMessage> auto& data) {
  FIELDS(archive, data, source, dtype, rows, features, outputs);
  OPTIONAL_FIELDS(archive, data, x, y, labels, order, stream);
}

FIELDS_OF(LoadRequest, implementation, memory, data)

void fields(auto& archive, Of<ThreadSettings> auto& threads) {
  archive.field("compute", threads.compute);
  OPTIONAL_FIELDS(archive, threads, compute_cores, helper_cores);
}

void fields(auto& archive, Of<PrepareAnswer> auto& prepared) {
  archive.if_readable("helper_threads", prepared.helper_threads);
  archive.if_readable("allocations", prepared.allocations);
  archive.if_readable("import_ns", prepared.import_ns);
  archive.if_readable("imported_resident_bytes", prepared.imported_resident_bytes);
  archive.if_readable("runtime", prepared.runtime);
  archive.if_readable("settles", prepared.settles);
  archive.if_readable("traces", prepared.traces);
}

FIELDS_OF(RankPlace, rank, addresses)

void fields(auto& archive, Of<PrepareRequest> auto& prepare) {
  archive.field("problem", prepare.problem);
  archive.optional("options", prepare.options);
  FIELDS(archive, prepare, threads, state);
  archive.optional("ranks", prepare.ranks);
}

void fields(auto& /*archive*/, Of<SettleRequest> auto& /*settle*/) {}

FIELDS_OF(SetStateRequest, image, step)

void fields(auto& archive, Of<StateAnswer> auto& state) {
  archive.field("step", state.step);
  archive.if_readable("outside", state.outside);
}

FIELDS_OF(GetStateRequest, image)

void fields(auto& archive, Of<RunAnswer> auto& run) {
  FIELDS(archive, run, start_ns, end_ns, real_ns, cpu_ns);
  archive.optional("control_word", run.control_word);
  archive.if_readable("allocations", run.allocations);
  archive.optional("traces", run.traces);
  archive.optional("device_ns", run.device_ns);
  archive.optional("device_bytes", run.device_bytes);
  archive.optional("exchange_ns", run.exchange_ns);
  archive.optional("step_ns", run.step_ns);
}

void fields(auto& archive, Of<RunRequest> auto& run) {
  archive.field("steps", run.steps);
  archive.optional("added_iterations", run.added_iterations);
  archive.optional("each_step", run.each_step);
}

void fields(auto& archive, Of<EvaluateAnswer> auto& evaluation) {
  archive.number_or_null("loss", evaluation.loss);
  archive.if_readable("real_ns", evaluation.real_ns);
}

void fields(auto& archive, Of<EvaluateRequest> auto& evaluate) { archive.optional("split", evaluate.split); }

void fields(auto& archive, Of<OpTotals> auto& op) {
  archive.field("op", op.op);
  archive.named_or_default("phase", op.phase);
  OPTIONAL_FIELDS(archive, op, clock, calls);
  archive.field("time_ns", op.time_ns);
  OPTIONAL_FIELDS(archive, op, flops, bytes, allocations);
  archive.unless_empty("layers", op.layers);
  archive.unless_empty("parameters", op.parameters);
  archive.optional("use", op.use);
}

FIELDS_OF(FloorCall, op, time_ns)

void fields(auto& archive, Of<ProfileAnswer> auto& profile) {
  FIELDS(archive, profile, real_ns, records);
  archive.optional("dispatches", profile.dispatches);
  archive.unless_empty("floor", profile.floor);
}

FIELDS_OF(ProfileRequest, steps)

FIELDS_OF(ProfileOpsAnswer, profiler, real_ns, records)
FIELDS_OF(ProfileOpsRequest, steps)

void fields(auto& /*archive*/, Of<ByeRequest> auto& /*bye*/) {}

inline Error error_of(const Refusal& refusal) {
  const ErrorKind kind = refusal.kind == "unsupported" ? ErrorKind::unsupported
                         : refusal.kind == "untrusted" ? ErrorKind::untrusted
                                                       : ErrorKind::failed;
  return {kind, refusal.message};
}

// Reads a message; `origin` begins errors. Fields that are unknown are ignored, unknown names are unsupported: both may
// be of a newer minor version.
template <class Message>
Result<Message> message_from(const Json& object, const std::string& origin) {
  const JsonRules rules{.ignore_unknown = true,
                        .mistake = ErrorKind::failed,
                        .unknown_name = ErrorKind::unsupported,
                        .null_is_nan = false};
  return RecordReader::read<Message>(object, JsonDocument(origin, Json::object(), rules));
}

}  // namespace gdbench::protocol
