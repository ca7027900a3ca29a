// The protocol's messages, shared by the coordinator's client and the native worker: one struct for each request and
// each answer, with the fields of message_fields.h for both directions. PROTOCOL.md describes them for people who write
// a worker in another language; that page and these two files change together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/data/stream.h"
#include "harness/scenario/problem.h"

namespace gdbench::protocol {

using catalogue::name_of;

constexpr int kProtocolMajor = 1;
constexpr int kProtocolMinor = 18;

// Descriptors in a worker process.
constexpr int kRequestDescriptor = 3;
constexpr int kResponseDescriptor = 4;
constexpr int kDataDescriptor = 5;
constexpr int kStateDescriptor = 6;

// What every answer says in addition to its own fields.
struct Refusal {
  std::string kind;  // "unsupported", "failed", or of several ranks "untrusted"
  std::string message;
};
struct Outcome {
  bool ok = false;
  Refusal error = {};  // where it is not
};
// An answer without fields.
struct Done {};

struct ProtocolVersion {
  int major = kProtocolMajor;
  int minor = kProtocolMinor;
};

// switches: named parts that are switched off and on, as GDBENCH_OPTION_SWITCHES describes.
enum class OptionType { boolean, integer, number, choice, string, switches };
inline constexpr catalogue::Named<OptionType> kOptionTypes[] = {
    {OptionType::boolean, "bool"},  {OptionType::integer, "integer"}, {OptionType::number, "number"},
    {OptionType::choice, "choice"}, {OptionType::string, "string"},   {OptionType::switches, "switches"}};
constexpr const auto& rows_of(OptionType /*any*/) { return kOptionTypes; }

struct OptionDeclaration {
  std::string key;
  OptionType type = OptionType::string;  // of a newer minor version, too
  std::string default_value;
  std::vector<std::string> choices;  // of a choice; the names of switches
  std::string description;
};

// Of every implementation with ranks. It is the host's: plugins and adapters never see it.
inline OptionDeclaration rank_count_option() {
  return {.key = catalogue::kRanksOption,
          .type = OptionType::integer,
          .default_value = "2",
          .choices = {},
          .description = "processes that train the model together, on parts of each batch"};
}

// What an implementation says of itself in the answer to hello. Lists hold the catalogue's names, or newer versions'.
struct ImplementationDescription {
  std::string id;
  std::string description;
  std::string build;
  std::vector<std::string> tasks = {"train"};
  std::vector<std::string> dtypes = {"f32"};
  std::vector<std::string> activations = {"identity"};
  std::vector<std::string> losses = {"mse"};
  std::vector<std::string> optimizers = {"sgd"};
  std::vector<std::string> capabilities;  // "no_arithmetic", "shuffle", "stream", ...
  std::int64_t max_layers = 0;            // 0: any
  int max_compute_threads = 1;            // 0: any
  int helper_threads = 0;
  std::vector<OptionDeclaration> options;
  // Where an optimizer adds epsilon, without the capability "epsilon_place"; outside where it is not listed.
  std::map<std::string, std::string> epsilon_places;
  std::string unavailable;  // why it cannot be used here ("not installed: ..."); empty where it can

  bool has_capability(const std::string& capability) const {
    return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
  }
};

struct WorkerDescription {
  std::string build;  // the worker's own revision
};
struct PluginDescription {
  std::string name;
  std::string version;
};
struct HelloAnswer {
  ProtocolVersion protocol;
  WorkerDescription worker;
  PluginDescription plugin;
  std::vector<ImplementationDescription> implementations;
};
struct HelloRequest {
  static constexpr const char* kName = "hello";
  using Answer = HelloAnswer;
  ProtocolVersion protocol;
};

// Why an implementation cannot train a problem, as far as it knows without loading anything; empty where it can.
struct SupportsAnswer {
  std::string reason;
};
struct SupportsRequest {
  static constexpr const char* kName = "supports";
  using Answer = SupportsAnswer;
  std::string implementation;
  scenario::Problem problem;
};

// A descriptor of the worker and how much it holds.
struct SharedRegion {
  int fd = -1;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> image_bytes = {};  // of state memory
};

enum class DataSource { resident, streamed };
inline constexpr catalogue::Named<DataSource> kDataSources[] = {{DataSource::resident, "resident"},
                                                                {DataSource::streamed, "streamed"}};
constexpr const auto& rows_of(DataSource /*any*/) { return kDataSources; }

// Where an array begins in data memory.
struct ArrayPlace {
  std::uint64_t offset = 0;
};
struct OrderPlace {
  std::uint64_t offset = 0;
  std::int64_t epochs = 0;
};
// Resident data have x and either y or labels, streamed ones have a stream.
struct DataMessage {
  DataSource source = DataSource::resident;
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t outputs = 0;
  std::optional<ArrayPlace> x = {};
  std::optional<ArrayPlace> y = {};
  std::optional<ArrayPlace> labels = {};
  std::optional<OrderPlace> order = {};
  std::optional<data::StreamFile> stream = {};
};
struct LoadRequest {
  static constexpr const char* kName = "load";
  using Answer = Done;
  std::string implementation;
  SharedRegion memory;
  DataMessage data;
};

struct ThreadSettings {
  int compute = 1;
  std::vector<int> compute_cores;
  std::vector<int> helper_cores;
};
// What a process has allocated.
struct AllocationTotals {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // requested, freed or not
};

inline protocol::AllocationTotals operator-(const protocol::AllocationTotals& after,
                                            const protocol::AllocationTotals& before) {
  return {after.calls - before.calls, after.bytes - before.bytes};
}

struct PrepareAnswer {
  std::optional<int> helper_threads = {};                          // how many this process has with its options
  std::optional<AllocationTotals> allocations = {};                // of load and prepare
  std::optional<double> import_ns = {};                            // of prepare, that loading libraries took
  std::optional<std::int64_t> imported_resident_bytes = {};        // of the process just after
  std::optional<std::map<std::string, std::string>> runtime = {};  // builds, thread settings ...
  std::optional<bool> settles = {};                                // there is something that settle would change
  std::optional<std::uint64_t> traces = {};                        // functions traced or compiled so far
};
// Of an adapter that is one of several ranks: which, and an address of this machine for each, where they may connect.
struct RankPlace {
  int rank = 0;
  std::vector<std::string> addresses;
};
struct PrepareRequest {
  static constexpr const char* kName = "prepare";
  using Answer = PrepareAnswer;
  scenario::Problem problem;
  std::map<std::string, std::string> options;
  ThreadSettings threads;
  SharedRegion state;
  std::optional<RankPlace> ranks = {};
};

// From here on the process keeps the memory that it frees, and has no garbage collected in timed blocks. Until then it
// is what any program is.
struct SettleRequest {
  static constexpr const char* kName = "settle";
  using Answer = Done;
};

struct SetStateRequest {
  static constexpr const char* kName = "set_state";
  using Answer = Done;
  std::uint64_t image = 0;
  std::int64_t step = 0;
};

// What a plugin did outside the blocks that are timed.
// Totals since the process began. Time of the host's own code is not in them.
struct OutsideTime {
  double cpu_ns = 0;   // the plugin's functions, and other threads of the process at any time
  double real_ns = 0;  // the plugin's functions, without their waits for a free processor
};

struct StateAnswer {
  std::int64_t step = 0;
  std::optional<OutsideTime> outside = {};  // totals, of hosts since protocol 1.5
};
struct GetStateRequest {
  static constexpr const char* kName = "get_state";
  using Answer = StateAnswer;
  std::uint64_t image = 0;
};

// Of a block of steps.
struct RunAnswer {
  std::int64_t start_ns = 0;  // the worker's CLOCK_MONOTONIC around the block
  std::int64_t end_ns = 0;
  double real_ns = 0;  // the whole block
  double cpu_ns = 0;
  std::optional<std::uint32_t> control_word = {};    // MXCSR's control bits after the block, or FPCR
  std::optional<AllocationTotals> allocations = {};  // by the block, where the worker counts
  std::optional<std::uint64_t> traces = {};          // functions traced or compiled within the block
  std::optional<double> device_ns = {};              // the block by the clock of the device that computed it
  std::optional<std::int64_t> device_bytes = {};     // the most of that device's memory at once so far
  std::optional<double> exchange_ns = {};            // of ranks: in all-reduces, waiting included, on average
  std::optional<std::vector<double>> step_ns = {};   // of each step, where each was to be timed
};
struct RunRequest {
  static constexpr const char* kName = "run";
  using Answer = RunAnswer;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> added_iterations = {};  // of work that a calibration adds; see block_timer.h
  std::optional<bool> each_step = {};                  // whether each step is timed, as a call by itself
};

enum class Split { train, validation };
inline constexpr catalogue::Named<Split> kSplits[] = {{Split::train, "train"}, {Split::validation, "validation"}};
constexpr const auto& rows_of(Split /*any*/) { return kSplits; }

struct EvaluateAnswer {
  double loss = 0;  // NaN where it is not a number
  std::optional<double> real_ns = {};
};
struct EvaluateRequest {
  static constexpr const char* kName = "evaluate";
  using Answer = EvaluateAnswer;
  Split split = Split::train;
};

// Totals of one op on one part of the model over the profiled steps.
struct OpTotals {
  std::string op;
  catalogue::Phase phase = catalogue::Phase::other;  // of a newer minor version, too
  catalogue::Clock clock = catalogue::Clock::host;
  double calls = 0;
  double time_ns = 0;  // self time
  double flops = 0;
  double bytes = 0;
  double allocations = 0;
  std::vector<std::int64_t> layers = {};
  std::vector<std::string> parameters = {};
  std::optional<catalogue::ParameterUse> use = {};  // of the parameters; reads where it is not said
};
struct FloorCall {
  std::string op;
  double time_ns = 0;
};
struct ProfileAnswer {
  double real_ns = 0;
  std::vector<OpTotals> records;
  std::optional<double> dispatches = {};
  std::vector<FloorCall> floor = {};
};
struct ProfileRequest {
  static constexpr const char* kName = "profile";
  using Answer = ProfileAnswer;
  std::uint64_t steps = 0;
};

struct ProfileOpsAnswer {
  std::string profiler;
  double real_ns = 0;  // of the steps, as the profiler slows them
  std::vector<OpTotals> records;
};
struct ProfileOpsRequest {
  static constexpr const char* kName = "profile_ops";
  using Answer = ProfileOpsAnswer;
  std::uint64_t steps = 0;
};

struct ByeRequest {
  static constexpr const char* kName = "bye";
  using Answer = Done;
};

using Requests =
    std::tuple<HelloRequest, LoadRequest, PrepareRequest, SettleRequest, SetStateRequest, GetStateRequest, RunRequest,
               EvaluateRequest, ProfileRequest, ProfileOpsRequest, SupportsRequest, ByeRequest>;

}  // namespace gdbench::protocol
