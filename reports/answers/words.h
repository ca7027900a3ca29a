// The sentences of a report, shared by the console and Markdown.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/answers/table.h"

namespace gdbench::answers {

// "multi-layer perceptron ..., 1000 rows x 10 features, full batch, f32, mse, sgd, 601 parameters, 2.5 Mflop per step".
std::string scenario_words(const report::ScenarioRecord& scenario);

// The git revision that was built, its first digits, "with changes" where the tree had any; empty where it is unknown.
std::string revision_words(const report::Report& report, std::size_t digits = std::string::npos);

// Processor, cores, kernel, compiler and git revision in one line; what is unknown is left out.
std::string environment_words(const report::Report& report);

// The best ceilings of the run in one line; empty where they were not measured.
std::string ceilings_words(const report::Report& report);

// Says which cells are above 100% of a ceiling, which therefore was measured too low; empty where none is.
std::string failed_ceilings_words(const report::Report& report);

// The run in one line: id, status, when, launches and what it was asked for.
std::string run_words(const report::Run& run);

// What the run began under that spoils measurements, a sentence each.
std::vector<std::string> condition_warnings(const report::Report& report);

// What a script's steps of a cell called `name` take, in a sentence with what helps it.
std::string script_words(const report::ScriptTime& script, const std::string& name);

// The report's notes. Before them, of each framework's cell whose steps take another time in a script, a sentence.
std::vector<std::string> notes_of(const report::Report& report);

// "hand/eigen @4 (18.3 ns)", of a cell with a time.
std::string timed_name(const report::Cell& cell);

// "12 cells: 9 ok, 2 unsupported, 1 wrong".
std::string counts_words(const report::Report& report);

// What the scenario's A/A control says of its verdicts, in one sentence; empty where there is none.
std::string control_words(const ScenarioTable& table);
// Which rows were timed with a smaller learning rate than the scenario's, and with which; empty where none was.
std::string reduced_rate_words(const ScenarioTable& table);
// Which rows trace or compile before they are timed, and what that takes; empty where none does.
std::string traces_words(const ScenarioTable& table);

// How many steps were timed one by one, and which rows that says nothing of; empty where none were.
std::string single_steps_words(const ScenarioTable& table);

// Which row ratios are to, where that is not the run's baseline; else empty.
std::string baseline_words(const ScenarioTable& table);

// Who won a scenario and by how much, in one sentence; the ratio is that of the paired comparison.
std::string winner_words(const ScenarioTable& table);

constexpr const char* kNotRankedWords = "(policies, no arithmetic, or more processors than threads)";
constexpr const char* kOneProcessWords =
    "within one process: a single launch, so the interval says nothing about other launches";

// What the columns, marks and sentences of a report mean.

// One sentence or two for each, in the order in which they appear.
std::vector<std::string> column_words();
// The same in lines of at most that width.
std::string columns_help(int width);

// How often names occur, for sentences.

using NameCounts = std::map<std::string, std::size_t>;

// The largest first, equal ones in the order of their names.
std::vector<std::pair<std::string, std::size_t>> ordered(const NameCounts& counts);

// "jit 5, onednn 2 and 3 more"; without a number where there is one name.
std::string counts_text(const NameCounts& counts, std::size_t most);

// What a device said of itself while it was measured: "device NVIDIA H200: clock 1755 to 1980 MHz, clock of the memory
// 2619 MHz, up to 71 degrees Celsius, 640 W; throttled: power cap" over all launches; empty where none said anything.
std::string device_words(const report::Report& report);

// What computed the rows: versions, compilers, libraries.

// "CPython 3.11.2, numpy 2.4.6; build BLAS openblas 0.3.31; threads 1": what a worker says of itself.
std::string build_text(const report::Cell& cell);

// "CPython 3.11.2" and "numpy 2.4.6": the parts of what the worker's build is called.
std::vector<std::string> build_parts(const report::Cell& cell);

// A sentence for each build that has timed rows: "Build of numpy/vectorised: CPython 3.11.2, numpy 2.4.6.".
std::vector<std::string> build_words(const report::Report& report);

// Each program and package that a build names as "NAME VERSION", once: "CPython 3.11.2, torch 2.15.0". Empty where all
// rows are compiled.
std::string versions_words(const report::Report& report);

}  // namespace gdbench::answers
