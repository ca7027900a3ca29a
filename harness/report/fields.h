// The fields of the report's structs; see harness/base/fields.h. Adding a field: one line here, one in report.h, one in
// reports/schema/report.schema.json.
#pragma once

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/record_reader.h"
#include "harness/base/record_writer.h"
#include "harness/report/report.h"

namespace gdbench::stats {

void fields(auto& archive, Of<Interval> auto& interval) {
  archive.field("low", interval.low);
  archive.field("high", interval.high);
}

void fields(auto& archive, Of<Estimate> auto& estimate) {
  archive.field("value", estimate.value);
  archive.field("interval", estimate.interval);
  archive.field("launches", estimate.launches);
  archive.field("within_one_process", estimate.within_one_process);
  archive.optional("method", estimate.method);
}

void fields(auto& archive, Of<Comparison> auto& comparison) {
  archive.field("ratio", comparison.ratio);
  archive.field("verdict", comparison.verdict);
  archive.field("remark", comparison.remark);
}

void fields(auto& archive, Of<BreakEven> auto& break_even) {
  archive.field("overtaking", break_even.overtaking);
  archive.field("steps", break_even.steps);
  archive.field("interval", break_even.interval);
  archive.field("launches", break_even.launches);
  archive.optional("margin", break_even.margin);
}

}  // namespace gdbench::stats

namespace gdbench::report {

// As the JSON that it was resolved to; resolved_scenario.cpp reads of it what figures rest on.
inline OrderedJson encode_whole(const ResolvedScenario& scenario) { return OrderedJson::parse(scenario.text); }
void decode_whole(const Json& value, const Place& place, ResolvedScenario& scenario, RecordReader::Context& context);

void fields(auto& archive, Of<CellStatus> auto& status) {
  archive.field("state", status.state);
  archive.field("reason", status.reason);
}

void fields(auto& archive, Of<Sample> auto& sample) {
  archive.field("launch", sample.launch);
  archive.field("round", sample.round);
  archive.field("position", sample.position);
  archive.field("cold", sample.cold);
  archive.field("steps", sample.steps);
  archive.field("real_ns", sample.real_ns);
  archive.field("cpu_ns", sample.cpu_ns);
  archive.field("request_ns", sample.request_ns);
  archive.field("displacement", sample.displacement);
  archive.optional("outside_ns", sample.outside_ns);
}

void fields(auto& archive, Of<Launch> auto& launch) {
  archive.field("launch", launch.launch);
  archive.field("started_at", launch.started_at);
  archive.field("start_seconds", launch.start_seconds);
  archive.field("load_seconds", launch.load_seconds);
  archive.field("prepare_seconds", launch.prepare_seconds);
  archive.field("first_step_ns", launch.first_step_ns);
  archive.field("total_seconds", launch.total_seconds);
  archive.field("peak_resident_bytes", launch.peak_resident_bytes);
  archive.optional("peak_anonymous_bytes", launch.peak_anonymous_bytes);
  archive.optional("peak_shared_bytes", launch.peak_shared_bytes);
  archive.optional("cached_file_bytes", launch.cached_file_bytes);
  archive.optional("import_seconds", launch.import_seconds);
  archive.optional("imported_resident_bytes", launch.imported_resident_bytes);
  archive.optional("repeated_blocks", launch.repeated_blocks);
}

void fields(auto& archive, Of<TensorCheck> auto& check) {
  archive.field("name", check.name);
  archive.field("error", check.error);
  archive.field("tolerance", check.tolerance);
  archive.field("relative", check.relative);
}

void fields(auto& archive, Of<Verification> auto& verification) {
  archive.field("steps", verification.steps);
  archive.field("sampled", verification.sampled);
  archive.field("initial_loss", verification.initial_loss);
  archive.field("final_loss", verification.final_loss);
  archive.field("tensors", verification.tensors);
}

void fields(auto& archive, Of<Block> auto& block) {
  archive.field("steps", block.steps);
  archive.field("warm_up_steps", block.warm_up_steps);
  archive.field("learning_rate", block.learning_rate);
  archive.field("reduced_learning_rate", block.reduced_learning_rate);
  archive.field("empty_block_ns", block.empty_block_ns);
  archive.optional("added_iterations", block.added_iterations);
}

void fields(auto& archive, Of<RatioToBaseline> auto& ratio) {
  archive.field("baseline", ratio.baseline);
  archive.field("comparison", ratio.comparison);
}

void fields(auto& archive, Of<CeilingShare> auto& ceiling) {
  archive.field("bound_by", ceiling.bound_by);
  archive.field("level", ceiling.level);
  archive.field("floor_ns", ceiling.floor_ns);
  archive.field("operations_ns", ceiling.operations_ns);
  archive.field("bytes_ns", ceiling.bytes_ns);
  archive.field("chain_ns", ceiling.chain_ns);
  archive.field("share", ceiling.share);
  archive.field("failed", ceiling.failed);
}

void fields(auto& archive, Of<TargetRun> auto& target) {
  archive.field("state", target.state);
  archive.field("target_loss", target.target_loss);
  archive.field("initial_loss", target.initial_loss);
  archive.field("steps", target.steps);
  archive.field("stopped_after", target.stopped_after);
  archive.field("loss", target.loss);
  archive.field("evaluations", target.evaluations);
  archive.field("run_seconds", target.run_seconds);
  archive.optional("evaluation_seconds", target.evaluation_seconds);
}

void fields(auto& archive, Of<TimeToTarget> auto& time) {
  archive.field("time_ns", time.time_ns);
  archive.optional("with_evaluations_ns", time.with_evaluations_ns);
  archive.optional("ready_ns", time.ready_ns);
}

void fields(auto& archive, Of<Summary> auto& summary) {
  archive.field("step_ns", summary.step_ns);
  archive.field("median_absolute_deviation_ns", summary.median_absolute_deviation_ns);
  archive.field("samples", summary.samples);
  archive.field("first_step_ns", summary.first_step_ns);
  archive.field("start_seconds", summary.start_seconds);
  archive.field("load_seconds", summary.load_seconds);
  archive.field("prepare_seconds", summary.prepare_seconds);
  archive.field("launch_seconds", summary.launch_seconds);
  archive.optional("import_seconds", summary.import_seconds);
  archive.optional("imported_resident_bytes", summary.imported_resident_bytes);
  archive.optional("cpu_per_wall", summary.cpu_per_wall);
  archive.optional("not_ranked", summary.not_ranked);
  archive.field("peak_resident_bytes", summary.peak_resident_bytes);
  archive.optional("peak_anonymous_bytes", summary.peak_anonymous_bytes);
  archive.optional("ratio", summary.ratio);
  archive.optional("ceiling", summary.ceiling);
  archive.optional("to_target", summary.to_target);
}

void fields(auto& archive, Of<ProfileRecord> auto& record) {
  archive.field("phase", record.phase);
  archive.field("op", record.op);
  archive.field("clock", record.clock);
  archive.field("calls", record.calls);
  archive.field("time_ns", record.time_ns);
  archive.field("flops", record.flops);
  archive.field("bytes", record.bytes);
  archive.field("allocations", record.allocations);
  archive.optional("layers", record.layers);
  archive.optional("parameters", record.parameters);
  archive.optional("use", record.use);
}

void fields(auto& archive, Of<FloorPart> auto& part) {
  archive.field("op", part.op);
  archive.field("time_ns", part.time_ns);
}

void fields(auto& archive, Of<Profile> auto& profile) {
  archive.field("cell", profile.cell);
  archive.field("scenario", profile.scenario);
  archive.field("implementation", profile.implementation);
  archive.field("steps", profile.steps);
  archive.field("step_ns", profile.step_ns);
  archive.field("profiled_step_ns", profile.profiled_step_ns);
  archive.field("load_seconds", profile.load_seconds);
  archive.field("prepare_seconds", profile.prepare_seconds);
  archive.field("first_step_ns", profile.first_step_ns);
  archive.optional("allocations_per_step", profile.allocations_per_step);
  archive.optional("allocated_bytes_per_step", profile.allocated_bytes_per_step);
  archive.optional("prepared_bytes", profile.prepared_bytes);
  archive.optional("dispatches_per_step", profile.dispatches_per_step);
  archive.optional("floor", profile.floor);
  archive.field("records", profile.records);
}

void fields(auto& archive, Of<Cell> auto& cell) {
  archive.field("id", cell.id);
  archive.field("scenario", cell.scenario);
  archive.field("implementation", cell.implementation);
  archive.field("options", cell.options);
  archive.optional("default_options", cell.default_options);
  archive.field("threads", cell.threads);
  archive.field("arm", cell.arm);
  archive.field("build", cell.build);
  archive.field("worker", cell.worker);
  archive.field("repeat", cell.repeat);
  archive.optional("runtime", cell.runtime);
  archive.field("ranked", cell.ranked);
  archive.field("status", cell.status);
  archive.optional("verification", cell.verification);
  archive.optional("block", cell.block);
  archive.optional("profile", cell.profile);
  archive.optional("other_profiles", cell.other_profiles);
  archive.optional("target", cell.target);
  archive.optional("confirmed_from", cell.confirmed_from);
  archive.optional("summary", cell.summary);
  archive.field("launches", cell.launches);
  archive.field("samples", cell.samples);
}

void fields(auto& archive, Of<ScenarioRecord> auto& scenario) {
  archive.field("key", scenario.key);
  archive.field("name", scenario.name);
  archive.field("label", scenario.label);
  archive.field("rows", scenario.rows);
  archive.field("features", scenario.features);
  archive.field("outputs", scenario.outputs);
  archive.field("parameters", scenario.parameters);
  archive.field("batch_rows", scenario.batch_rows);
  archive.field("operations_per_step", scenario.operations_per_step);
  archive.field("data_digest", scenario.data_digest);
  archive.field("resolved", scenario.resolved);
}

void fields(auto& archive, Of<Run> auto& run) {
  archive.field("id", run.id);
  archive.field("started_at", run.started_at);
  archive.field("finished_at", run.finished_at);
  archive.field("status", run.status);
  archive.field("command", run.command);
  archive.field("matrix", run.matrix);
  archive.field("baseline", run.baseline);
  archive.field("seed", run.seed);
  archive.field("budget_seconds", run.budget_seconds);
  archive.field("precision", run.precision);
  archive.field("quick", run.quick);
  archive.optional("shard", run.shard);
}

void fields(auto& archive, Of<LevelCeiling> auto& level) {
  archive.field("level", level.level);
  archive.field("capacity_bytes", level.capacity_bytes);
  archive.field("working_set_bytes", level.working_set_bytes);
  archive.field("read_gb_per_second", level.read_gb_per_second);
  archive.field("read_streams", level.read_streams);
  archive.field("update_gb_per_second", level.update_gb_per_second);
}

void fields(auto& archive, Of<VectorCeilings> auto& ceilings) {
  archive.field("vectors", ceilings.vectors);
  archive.field("bits", ceilings.bits);
  archive.field("fma_f32_gflop_per_second", ceilings.fma_f32_gflop_per_second);
  archive.field("fma_f64_gflop_per_second", ceilings.fma_f64_gflop_per_second);
  archive.field("fma_f32_latency_ns", ceilings.fma_f32_latency_ns);
  archive.field("fma_f64_latency_ns", ceilings.fma_f64_latency_ns);
  archive.field("addition_f32_latency_ns", ceilings.addition_f32_latency_ns);
  archive.field("addition_f64_latency_ns", ceilings.addition_f64_latency_ns);
  archive.field("levels", ceilings.levels);
}

void fields(auto& archive, Of<CeilingsMeasurement> auto& measurement) {
  archive.field("at", measurement.at);
  archive.field("seconds", measurement.seconds);
  archive.field("widths", measurement.widths);
}

void fields(auto& archive, Of<Ceilings> auto& ceilings) {
  archive.field("processor", ceilings.processor);
  archive.field("measurements", ceilings.measurements);
  archive.optional("best", ceilings.best);
}

void fields(auto& archive, Of<OpDifference> auto& op) {
  archive.field("phase", op.phase);
  archive.field("op", op.op);
  archive.field("calls", op.calls);
  archive.field("base_calls", op.base_calls);
  archive.field("time_ns", op.time_ns);
  archive.field("base_time_ns", op.base_time_ns);
}

void fields(auto& archive, Of<FrameworkTax> auto& tax) {
  archive.field("cell", tax.cell);
  archive.field("base", tax.base);
  archive.field("difference_ns", tax.difference_ns);
  archive.field("ratio", tax.ratio);
  archive.field("calls_per_step", tax.calls_per_step);
  archive.field("difference_per_call_ns", tax.difference_per_call_ns);
  archive.field("ops", tax.ops);
}

void fields(auto& archive, Of<BreakEvenRecord> auto& record) {
  archive.field("cell", record.cell);
  archive.field("other", record.other);
  archive.field("result", record.result);
}

void fields(auto& archive, Of<CostFit> auto& fit) {
  archive.field("implementation", fit.implementation);
  archive.field("dtype", fit.dtype);
  archive.field("threads", fit.threads);
  archive.field("arm", fit.arm);
  archive.field("scenarios", fit.scenarios);
  archive.field("step_ns", fit.step_ns);
  archive.field("call_ns", fit.call_ns);
  archive.field("operation_ns", fit.operation_ns);
  archive.field("largest_relative_residual", fit.largest_relative_residual);
  archive.optional("at_bound", fit.at_bound);
}

void fields(auto& archive, Of<Attribution> auto& attribution) {
  archive.field("taxes", attribution.taxes);
  archive.field("break_evens", attribution.break_evens);
  archive.field("fits", attribution.fits);
}

void fields(auto& archive, Of<Control> auto& control) {
  archive.field("scenario", control.scenario);
  archive.field("cell", control.cell);
  archive.field("twin", control.twin);
  archive.field("comparison", control.comparison);
}

void fields(auto& archive, Of<Condition> auto& condition) {
  archive.field("name", condition.name);
  archive.field("severity", condition.severity);
  archive.field("found", condition.found);
  archive.field("effect", condition.effect);
  archive.field("advice", condition.advice);
}

// schema and schema_version come before these; see to_json and from_json.
void fields(auto& archive, Of<Report> auto& report) {
  archive.field("run", report.run);
  archive.text("environment", report.environment);
  archive.optional("conditions", report.conditions);
  archive.optional("ceilings", report.ceilings);
  archive.field("scenarios", report.scenarios);
  archive.field("cells", report.cells);
  archive.optional("controls", report.controls);
  archive.optional("attribution", report.attribution);
  archive.field("notes", report.notes);
}

}  // namespace gdbench::report
