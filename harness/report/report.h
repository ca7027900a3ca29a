// The report: everything a run learned, as typed data. Written as JSON (schema: gdbench help report.schema.json),
// rendered by reports/answers, read again by every later command. Every figure shown can be recomputed from `samples`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/report/attribution.h"
#include "harness/report/ceilings.h"
#include "harness/report/device.h"
#include "harness/report/named.h"
#include "harness/report/profile.h"
#include "harness/report/scaling.h"
#include "harness/report/scenario_record.h"
#include "harness/report/script.h"
#include "harness/report/single_steps.h"
#include "harness/report/values.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

constexpr int kSchemaMajor = 1;
constexpr int kSchemaMinor = 22;

enum class CellState { pending, ok, unsupported, wrong, crashed, timed_out, untrusted };
inline constexpr Named<CellState> kCellStates[] = {
    {CellState::pending, "pending"},    {CellState::ok, "ok"},           {CellState::unsupported, "unsupported"},
    {CellState::wrong, "wrong"},        {CellState::crashed, "crashed"}, {CellState::timed_out, "timed out"},
    {CellState::untrusted, "untrusted"}};
constexpr const auto& rows_of(CellState /*any*/) { return kCellStates; }

// That the implementation failed: wrong, crashed, timed out or untrusted.
bool is_failure(CellState state);

struct CellStatus {
  CellState state = CellState::pending;  // only a cell that is ok has a time
  std::string reason;                    // one line; empty for ok
};
std::string words_of(const CellStatus& status);  // "wrong: w0 differs", "ok"

// One timed block of a cell. Times are per step.
struct Sample {
  int launch = 0;
  int round = 0;
  int position = 0;   // in the round's order, from 0
  bool cold = false;  // the first block of its launch: kept, not used for estimates
  std::uint64_t steps = 0;
  double real_ns = 0;       // wall clock per step, by Google Benchmark or the adapter's own stamps
  double cpu_ns = 0;        // process CPU time per step
  double request_ns = 0;    // the whole request seen by the coordinator, per block
  double displacement = 0;  // 2-norm of the parameters' change over the block
  // Since 1.6: what the worker spent outside the clock since its last block, the larger of CPU and wall time.
  std::optional<double> outside_ns{};
  // Since 1.10: per step by the clock of the device that computed it, idle moments between its kernels included.
  std::optional<double> device_ns{};
  // Since 1.12, of several ranks: per step and rank, in all-reduces, with waiting for others. Part of cpu_ns, as ranks
  // that wait keep their processors busy.
  std::optional<double> exchange_ns{};
  // Since 1.14: minor and major ones per step, of the whole process from the request to its answer. Absent where they
  // are unknown: ranks, and others whose processes are below the worker.
  std::optional<double> page_faults{};
};

// One fresh process of a cell. Durations in seconds unless named otherwise.
struct Launch {
  int launch = 0;            // from 0; the same number in two cells: neighbours in time
  std::string started_at;    // UTC, ISO 8601
  double start_seconds = 0;  // spawn to the answer to hello
  double load_seconds = 0;
  double prepare_seconds = 0;
  double first_step_ns = 0;  // the first step of the process
  double total_seconds = 0;  // spawn to exit
  std::int64_t peak_resident_bytes = 0;
  // Since 1.3. Of that, what is the process's own and what it shares (data, states): the largest readings, at the end
  // of preparing, now and then while it works, and before its exit.
  std::optional<std::int64_t> peak_anonymous_bytes{};
  std::optional<std::int64_t> peak_shared_bytes{};
  std::optional<std::int64_t> cached_file_bytes{};  // of a streamed file in the page cache, before its exit
  std::optional<std::int64_t> peak_device_bytes{};  // since 1.22: of a device's memory, by the worker's account
  // Since 1.4. Where the worker loads libraries in prepare: that part of prepare_seconds; what was resident after it.
  std::optional<double> import_seconds{};
  std::optional<std::int64_t> imported_resident_bytes{};
  // Since 1.6: blocks that were made again, because the worker was too busy outside the clock.
  std::optional<int> repeated_blocks{};
  // Since 1.10: of cells on a device, where it says anything.
  std::optional<DeviceStates> device{};
  // Since 1.14: of adapters whose samples' process is not as a script's.
  std::optional<ScriptStep> script{};
  // Since 1.18, of workers that count them: functions that were traced or compiled in prepare and the first step.
  std::optional<std::int64_t> traces{};
  // Since 1.18: where they were asked for, and the worker can time them.
  std::optional<SingleSteps> single_steps{};
  // Since 1.20: where they were asked for, and a step is long enough to be timed alone.
  std::optional<ColdSteps> cold_steps{};
};

// Of a cell's launches with cold steps.
struct ColdTime {
  double cold_ns = 0;     // median over launches
  stats::Estimate ratio;  // cold over warm, paired by launch
};

struct TensorCheck {
  std::string name;
  double error = 0;      // 2-norm of the difference to the float64 reference
  double tolerance = 0;  // largest error that passes
  double relative = 0;   // the error over the reference's 2-norm, as a fraction
};

struct Verification {
  std::int64_t steps = 0;
  bool sampled = false;     // every entry of a single step instead of a whole trajectory
  double initial_loss = 0;  // by the reference
  double final_loss = 0;    // after `steps` steps, by the reference
  std::vector<TensorCheck> tensors;
  // Since 1.11: of those steps, where the dtype scales the loss.
  std::optional<std::int64_t> skipped_steps{};
};

struct Block {
  std::uint64_t steps = 0;             // per timed block
  std::uint64_t warm_up_steps = 0;     // untimed, before each block
  double learning_rate = 0;            // in timed blocks
  bool reduced_learning_rate = false;  // smaller than the scenario's, so that the block does not reach the fixed point
  double empty_block_ns = 0;           // what a block of zero steps reads in this worker
  std::optional<std::uint64_t> added_iterations{};  // since 1.5: of work added to each timed block, by calibrate
  double launch_seconds = 0;                        // that a launch of such blocks is expected to take; not stored
};

struct RatioToBaseline {
  std::string baseline;  // cell id
  stats::Comparison comparison;
};

// cut: out of the time that trainings to a target may take.
enum class TargetState { reached, unreached, diverged, cut };
inline constexpr Named<TargetState> kTargetStates[] = {{TargetState::reached, "reached"},
                                                       {TargetState::unreached, "unreached"},
                                                       {TargetState::diverged, "diverged"},
                                                       {TargetState::cut, "cut"}};
constexpr const auto& rows_of(TargetState /*any*/) { return kTargetStates; }

struct LossPoint {
  std::uint64_t steps = 0;
  double loss = 0;
};

// A training from the start state with the scenario's own learning rates, in a process of its own: `evaluate_every`
// steps, an evaluation of the loss over all training rows, and again.
struct TargetRun {
  TargetState state = TargetState::unreached;
  double target_loss = 0;  // absolute, even where the scenario's is relative
  double initial_loss = 0;
  // reached: a step after which the loss is at or below the target and before which it is above, found by bisection
  // between the last two evaluations; the first one where the loss falls between them. Otherwise stopped_after.
  std::uint64_t steps = 0;
  std::uint64_t stopped_after = 0;  // steps at the last evaluation
  double loss = 0;                  // there; not finite where diverged
  std::int64_t evaluations = 0;     // without those of the bisection
  double run_seconds = 0;           // of the steps
  // Of the evaluations; absent where the implementation offers none and the reference evaluated its parameters.
  std::optional<double> evaluation_seconds;
  // Since 1.11: the loss at the start and at evaluations, of many at some that are evenly spread, the last among them.
  std::optional<std::vector<LossPoint>> curve{};
  // Since 1.11: of stopped_after, where the dtype scales the loss.
  std::optional<std::int64_t> skipped_steps{};
};

// Of a cell that reached its target and was timed.
struct TimeToTarget {
  // Load, prepare without imports, and the steps; since 1.7, before that the steps alone.
  stats::Estimate time_ns;
  // What a training takes that stops at the first evaluation at or below the target: with stopped_after steps, and the
  // evaluations. Absent where they have no time.
  std::optional<stats::Estimate> with_evaluations_ns;
  // Since 1.7. Of these what comes before steady steps: load, prepare, what the first step takes beyond a steady one.
  std::optional<double> ready_ns;
};

struct Summary {
  stats::Estimate step_ns;                  // median with 95% interval
  double median_absolute_deviation_ns = 0;  // of the blocks' step times, not scaled
  int samples = 0;                          // without cold ones
  double first_step_ns = 0;                 // medians over launches
  double start_seconds = 0;
  double load_seconds = 0;
  double prepare_seconds = 0;
  double launch_seconds = 0;
  // Since 1.13: load, prepare without imports, and what the first step takes beyond a steady one.
  std::optional<double> ready_ns;
  std::optional<double> import_seconds;                 // median over launches; absent where none has it
  std::optional<std::int64_t> imported_resident_bytes;  // likewise the maximum: what peak_resident_bytes began with
  std::optional<double> cpu_per_wall;  // since 1.4: median over warm samples; all threads of the process
  // Since 1.12: of a rank's time that it spends in all-reduces, waiting included, median over warm samples. Ranks only.
  std::optional<double> exchange_share{};
  std::optional<double> page_faults_per_step{};  // since 1.14: median over warm samples
  // Since 1.6: why a row of a kind that is ranked is not: it used more processors than its threads. Absent where it is.
  std::optional<std::string> not_ranked;
  std::int64_t peak_resident_bytes = 0;              // maximum over launches
  std::optional<std::int64_t> peak_anonymous_bytes;  // likewise; absent where no launch has it
  std::optional<std::int64_t> peak_device_bytes{};   // since 1.22, likewise
  std::optional<RatioToBaseline> ratio;              // absent for the baseline itself
  std::optional<CeilingShare> ceiling;    // absent without measured ceilings, and for rows that are not ranked
  std::optional<TimeToTarget> to_target;  // absent without a target, or where it was not reached
  // Since 1.14: of adapters whose samples' process is not as a script's.
  std::optional<ScriptTime> script{};
  // Since 1.18: of all launches' the number and the maximum, of percentiles and cost the medians.
  std::optional<SingleSteps> single_steps{};
  std::optional<ColdTime> cold{};  // since 1.20
};

// The axes that an implementation's id spells: "strategy/backend[+policy][@environment]".
struct ImplementationName {
  std::string strategy;       // before the slash; a framework's name
  std::string backend;        // behind it; empty where there is no slash
  std::string policy;         // behind the plus sign; empty where there is none
  std::string environment{};  // of Python; empty where the command line named none
};

ImplementationName parse_implementation(const std::string& whole);

// A scenario run by one implementation with its options, threads and arm.
struct Cell {
  std::string id;        // "<scenario label>/<implementation>[?option=value...][@threads][#arm]", unique in the report
  std::string scenario;  // key into Report.scenarios
  std::string implementation;
  std::map<std::string, std::string> options;  // only those that differ from their defaults
  // Since 1.4: those that do not. Absent where the implementation declares none.
  std::optional<std::map<std::string, std::string>> default_options;
  int threads = 1;  // of each process
  // Since 1.12: processes that train the model together. Absent where the implementation never has several.
  std::optional<int> ranks{};
  std::string arm = kNewArm;
  std::string build;   // of the implementation: compiler, flags, libraries
  std::string worker;  // build of the worker that hosts it, as the worker says itself
  // Since 1.4: what the libraries that it loads say of themselves: builds, thread settings ...
  std::optional<std::map<std::string, std::string>> runtime;
  std::string repeat;  // the shortest command line that repeats this cell
  bool ranked = true;  // false for policies and for implementations that do nothing on purpose; see is_ranked
  CellStatus status;
  std::optional<Verification> verification;
  std::optional<Block> block;
  std::optional<Profile> profile;  // of a process of its own; absent where the implementation offers none
  // Since 1.7: the same of other processes. How they scatter says what a profile is worth.
  std::optional<std::vector<Profile>> other_profiles;
  std::optional<TargetRun> target;  // of another; absent where the scenario has no target
  // Since 1.5: the first of the launches that were made to confirm a regression which those before it showed.
  std::optional<int> confirmed_from;
  std::vector<Launch> launches;
  std::vector<Sample> samples;  // in the order of measuring
  std::optional<Summary> summary;

  // That it computes on, one for each thread of each rank.
  int processors() const { return threads * ranks.value_or(1); }
};

// Calls of a step, by the cell's profile: those of kernels in the phases forward, backward and update, without fetching
// a batch and recording; of a framework, whose records are phases, what it counts itself. 0 where none are
// known.
double calls_per_step(const Cell& cell);

// Whether a cell may win, and be compared with others: in rankings, claims, break-even points and explanations.
inline bool is_ranked(const Cell& cell) { return cell.ranked && !(cell.summary && cell.summary->not_ranked); }

struct Run {
  std::string id;
  std::string started_at;            // UTC, ISO 8601
  std::string finished_at;           // empty while running or killed
  std::string status = "running";    // running, complete, interrupted, failed; killed: a journal without an end
  std::vector<std::string> command;  // argv that repeats the run
  std::string matrix;
  std::string baseline;       // implementation id that ratios refer to
  std::uint64_t seed = 1;     // of the order of cells, and of the resampling behind intervals
  double budget_seconds = 0;  // 0: none stated
  double precision = 0;       // 0: none asked for
  bool quick = false;
  std::optional<std::string> shard;         // since 1.5: "2/4", a part of the matrix; absent: all of it
  std::optional<double> measuring_seconds;  // since 1.15: without the pauses between parts; absent: one part
  // Since 1.19: scenarios ended where they were decided, so intervals hold at every look. Absent: no.
  std::optional<bool> until_decided;
  std::optional<std::string> measured_by{};  // since 1.21: who handed the report in; absent: it was not
};

// From a run's start to its end, and how long of that it measured; nothing where its times are no times.
std::optional<double> span_seconds(const Run& run);
std::optional<double> measuring_seconds(const Run& run);

enum class Severity {
  fine,
  notice,   // worth knowing
  warning,  // spoils measurements
  unknown,  // cannot be seen from here
};
inline constexpr Named<Severity> kSeverities[] = {{Severity::fine, "fine"},
                                                  {Severity::notice, "notice"},
                                                  {Severity::warning, "warning"},
                                                  {Severity::unknown, "unknown"}};
constexpr const auto& rows_of(Severity /*any*/) { return kSeverities; }

// What about a machine may spoil measurements: one line each, with what it does here and what to do about it.
struct Condition {
  std::string name;  // "governor"
  Severity severity = Severity::fine;
  std::string found;
  std::string effect;  // what it does here, measured where it can be; empty: nothing that matters
  std::string advice;  // empty: none
};

// Everything that one run learned. A number that is not finite is null.
struct Report {
  Run run;
  std::string environment = "{}";                    // JSON text, see harness/machine/environment.h
  std::optional<std::vector<Condition>> conditions;  // since 1.5: what the run began under
  std::optional<Ceilings> ceilings;                  // absent where they were not measured
  std::vector<ScenarioRecord> scenarios;
  std::vector<Cell> cells;
  std::optional<std::vector<Control>> controls;  // since 1.5: cells against themselves; absent where there are none
  std::optional<Attribution> attribution;        // what differences are made of; absent where there is nothing to say
  std::optional<std::vector<ThreadScaling>> scaling;   // since 1.8: what more threads bring; absent where none has any
  std::optional<std::vector<ValueComparison>> values;  // since 1.17: of --set; absent where nothing is to be compared
  std::vector<std::string> notes;  // what a reader should know: skipped plugins, interrupted launches ...

  const Cell* find_cell(const std::string& id) const;  // null where there is none
  Cell* find_cell(const std::string& id);
  const ScenarioRecord* find_scenario(const std::string& key) const;
  // Of what the cell was trained on; empty where that is unknown.
  std::string data_digest(const Cell& cell) const;

  // Of another part of the same run: ceilings are added to these, and notes that are not there yet.
  void add_ceilings(const std::optional<Ceilings>& others);
  void add_notes(const std::vector<std::string>& others);
};

OrderedJson to_json(const Report& report);
OrderedJson report_schema();
OrderedJson to_json(const std::vector<Condition>& conditions);
// Refuses another schema major in one line; takes older minors, ignoring nothing it knows. Messages name `origin`.
Result<Report> from_json(const Json& json, const std::string& origin);

// Reads a report or a journal (distinguished by content).
Result<Report> read_report(const std::string& path);
// Writes through a temporary file and rename, so that a reader never sees half a report.
Status write_report(const Report& report, const std::string& path);

}  // namespace gdbench::report
