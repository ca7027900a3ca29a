// The fields of the report's structs; see harness/base/fields.h. Adding a field: its name here, and a line in report.h,
// whose comment describes it in the schema.
#pragma once

#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/record_reader.h"
#include "harness/base/record_writer.h"
#include "harness/report/report.h"

namespace gdbench::stats {

FIELDS_OF(Interval, low, high)
FIELDS_OF(Estimate, value, interval, launches, within_one_process, method)
FIELDS_OF(Comparison, ratio, verdict, remark)
FIELDS_OF(BreakEven, overtaking, steps, interval, launches, margin)

}  // namespace gdbench::stats

namespace gdbench::report {

// As the JSON that it was resolved to; resolved_scenario.cpp reads of it what figures rest on.
inline OrderedJson encode_whole(const ResolvedScenario& scenario) { return OrderedJson::parse(scenario.text); }
void decode_whole(const Json& value, const Place& place, ResolvedScenario& scenario, JsonDocument& document);

FIELDS_OF(CellStatus, state, reason)
FIELDS_OF(Sample, launch, round, position, cold, steps, real_ns, cpu_ns, request_ns, displacement, outside_ns,
          device_ns, exchange_ns, page_faults)
FIELDS_OF(DeviceState, name, clock_mhz, memory_clock_mhz, power_watts, temperature_celsius, throttled_by)
FIELDS_OF(DeviceStates, first, last)
FIELDS_OF(ScriptStep, step_ns, page_faults)
FIELDS_OF(SingleSteps, steps, p50_ns, p95_ns, p99_ns, max_ns, cost)
FIELDS_OF(ColdSteps, steps, cold_ns, warm_ns)
FIELDS_OF(Launch, launch, started_at, start_seconds, load_seconds, prepare_seconds, first_step_ns, total_seconds,
          peak_resident_bytes, peak_anonymous_bytes, peak_shared_bytes, cached_file_bytes, peak_device_bytes,
          import_seconds, imported_resident_bytes, repeated_blocks, device, script, traces, single_steps, cold_steps)
FIELDS_OF(TensorCheck, name, error, tolerance, relative)
FIELDS_OF(Verification, steps, sampled, initial_loss, final_loss, tensors, skipped_steps)
FIELDS_OF(Block, steps, warm_up_steps, learning_rate, reduced_learning_rate, empty_block_ns, added_iterations)
FIELDS_OF(RatioToBaseline, baseline, comparison)
FIELDS_OF(Span, bytes, read_only, written)
FIELDS_OF(CeilingShare, bound_by, level, floor_ns, operations_ns, bytes_ns, chain_ns, share, failed, functions_ns,
          roots_ns, span, bytes, operations, interval)
FIELDS_OF(LossPoint, steps, loss)
FIELDS_OF(TargetRun, state, target_loss, initial_loss, steps, stopped_after, loss, evaluations, run_seconds,
          evaluation_seconds, curve, skipped_steps)
FIELDS_OF(TimeToTarget, time_ns, with_evaluations_ns, ready_ns)
FIELDS_OF(ScriptTime, ratio, page_faults)
FIELDS_OF(ColdTime, cold_ns, ratio)
FIELDS_OF(Summary, step_ns, median_absolute_deviation_ns, samples, first_step_ns, start_seconds, load_seconds,
          prepare_seconds, launch_seconds, ready_ns, import_seconds, imported_resident_bytes, cpu_per_wall,
          exchange_share, page_faults_per_step, not_ranked, peak_resident_bytes, peak_anonymous_bytes,
          peak_device_bytes, ratio, ceiling, to_target, script, single_steps, cold)
FIELDS_OF(ProfileRecord, phase, op, clock, calls, time_ns, flops, bytes, allocations, layers, parameters, use)
FIELDS_OF(FloorPart, op, time_ns)
FIELDS_OF(FrameworkOps, profiler, steps, step_ns, records)
FIELDS_OF(Profile, cell, scenario, implementation, steps, step_ns, profiled_step_ns, load_seconds, prepare_seconds,
          first_step_ns, allocations_per_step, allocated_bytes_per_step, prepared_bytes, dispatches_per_step, floor,
          records, ops, no_ops)
FIELDS_OF(Cell, id, scenario, implementation, options, default_options, threads, ranks, arm, build, worker, repeat,
          runtime, ranked, status, verification, block, profile, other_profiles, target, confirmed_from, summary,
          launches, samples)
FIELDS_OF(SideBySide, first, values)
FIELDS_OF(ScenarioRecord, key, name, label, rows, features, outputs, parameters, batch_rows, operations_per_step,
          data_digest, side_by_side, resolved)
FIELDS_OF(Run, id, started_at, finished_at, status, command, matrix, baseline, seed, budget_seconds, precision, quick,
          shard, measuring_seconds, until_decided, measured_by)
FIELDS_OF(LevelCeiling, level, capacity_bytes, working_set_bytes, read_gb_per_second, read_streams,
          update_gb_per_second)
FIELDS_OF(SpanCeiling, span, gb_per_second)
FIELDS_OF(FunctionCeilings, exponentials_per_ns, divisions_per_ns, roots_per_ns, refined_divisions_per_ns,
          refined_roots_per_ns)
FIELDS_OF(VectorCeilings, vectors, bits, fma_f32_gflop_per_second, fma_f64_gflop_per_second, fma_f32_latency_ns,
          fma_f64_latency_ns, addition_f32_latency_ns, addition_f64_latency_ns, levels, functions_f32, functions_f64,
          spans, bf16_gflop_per_second)
FIELDS_OF(CeilingsMeasurement, at, seconds, widths, threads)
FIELDS_OF(TeamCeilings, threads, best)
FIELDS_OF(LaunchCeilings, scenarios, launch, threads, best)
FIELDS_OF(Ceilings, processor, measurements, best, teams, launches)
FIELDS_OF(OpDifference, phase, op, calls, base_calls, time_ns, base_time_ns)
FIELDS_OF(FrameworkTax, cell, base, difference_ns, ratio, calls_per_step, difference_per_call_ns, ops)
FIELDS_OF(BreakEvenRecord, cell, other, result)
FIELDS_OF(CostFit, implementation, dtype, threads, arm, scenarios, step_ns, call_ns, operation_ns,
          largest_relative_residual, at_bound)
FIELDS_OF(Attribution, taxes, break_evens, fits)
FIELDS_OF(ThreadScaling, cell, single, speed_up, efficiency, verdict, undivided_ns, smallest)
FIELDS_OF(ValueComparison, cell, first, key, comparison, operations_ratio)
FIELDS_OF(Control, scenario, cell, twin, comparison)
FIELDS_OF(Condition, name, severity, found, effect, advice)

// schema and schema_version come before these; see to_json and from_json.
void fields(auto& archive, Of<Report> auto& report) {
  archive.field("run", report.run);
  archive.text("environment", report.environment);
  FIELDS(archive, report, conditions, ceilings, scenarios, cells, controls, attribution, scaling, values, notes);
}

}  // namespace gdbench::report
