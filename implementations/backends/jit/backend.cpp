// Code that is made for a region while its model is prepared. Single ops, which the evaluation of the loss takes, are
// the plain loops of naive: no step of training runs them.
#include "implementations/backends/common/cpu/backend.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "implementations/backends/jit/llvm/compiler.h"
#include "implementations/backends/jit/loops/text.h"
#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/step.h"
#include "implementations/backends/jit/packs.h"
#include "implementations/backends/jit/region/rewrites.h"
#include "implementations/backends/jit/team.h"
#include "implementations/backends/naive/naive.h"
#include "implementations/common/mixed_precision/narrow_formats.h"

namespace gdbench::backends {

namespace jit {
namespace {

constexpr int kMaxThreads = 64;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

Memory zeroed(std::int64_t bytes) {
  // Large pages where the system has some: panels of a wide layer are more small ones than a core knows addresses of.
  constexpr std::size_t kLargePage = 2 << 20;
  const std::size_t page = static_cast<std::size_t>(bytes) < kLargePage ? 4096 : kLargePage;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) / page + 1) * page;
  Memory memory(std::aligned_alloc(page, rounded));
  if (!memory) throw std::bad_alloc();
  if (page == kLargePage) static_cast<void>(madvise(memory.get(), rounded, MADV_HUGEPAGE));
  std::fill_n(static_cast<char*>(memory.get()), rounded, '\0');
  return memory;
}

// One thread's code and memory.
struct ThreadCode {
  std::unique_ptr<Compiled> compiled;
  Memory arena;
};

struct RegionRun : cpu::OwnedCall {
  std::vector<ThreadCode> threads;
  Memory shared;
  std::vector<Pack> state;
  Dtype dtype = Dtype::f32;
  std::size_t arena_argument = 0;  // behind the buffers
  std::shared_ptr<Team> team;      // null for one thread
  std::vector<RegionReport> times;
};

struct Running {
  const RegionRun& region;
  const Buffer* buffers;
};

void meet(void* barrier) { static_cast<Barrier*>(barrier)->meet(); }

void run_thread(const void* data, int thread) {
  const auto& [region, buffers] = *static_cast<const Running*>(data);
  const ThreadCode& code = region.threads[static_cast<std::size_t>(thread)];
  void* arguments[kMaxArguments];
  for (std::size_t i = 0; i < region.arena_argument; ++i) arguments[i] = cpu::data<void>(buffers[i]);
  void** own = arguments + region.arena_argument;
  own[kArena] = code.arena.get();
  own[kSharedArena] = region.shared.get();
  own[kMeeting] = reinterpret_cast<void*>(&meet);
  own[kMeeting + 1] = region.team == nullptr ? nullptr : &region.team->barrier();
  code.compiled->function(arguments, static_cast<std::int64_t>(region.steps));
}

void run(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const Running running{*static_cast<const RegionRun*>(call), buffers};
  if (running.region.team == nullptr) {
    run_thread(&running, 0);
  } else {
    running.region.team->run(run_thread, &running);
  }
}

// Where the state's packs are.
char* state_memory(const RegionRun& region, const Pack& pack) {
  return static_cast<char*>(pack.shared ? region.shared.get() : region.threads[0].arena.get()) + pack.offset;
}

void load_state(const RegionCall* call, const Buffer* buffers) {
  const RegionRun& region = *static_cast<const RegionRun*>(call);
  for (const Pack& pack : region.state) {
    if (!pack.loaded) continue;
    copy_to_pack(pack, region.dtype, cpu::data<const void>(buffers[pack.argument]), state_memory(region, pack));
  }
}

void store_state(const RegionCall* call, const Buffer* buffers) {
  const RegionRun& region = *static_cast<const RegionRun*>(call);
  for (const Pack& pack : region.state) {
    if (!pack.stored) continue;
    copy_from_pack(pack, region.dtype, state_memory(region, pack), cpu::data<void>(buffers[pack.argument]));
  }
}

// X in bfloat16, as floats.
std::vector<float> rounded_x(const Region& region, const TrainingRegion& training) {
  const auto x = std::ranges::find(region.values, RegionRole::x, &Value::role);
  const float* const from = cpu::data<const float>(training.constant_x);
  std::vector<float> rounded(from, from + training.rows * x->columns);
  std::ranges::transform(rounded, rounded.begin(), implementations::rounded_to_bfloat16);
  return rounded;
}

void make_packs(const Lowered& lowered, const Region& region, const TrainingRegion& training, void* arena,
                void* shared) {
  std::vector<float> rounded;
  for (const Pack& pack : lowered.packs) {
    if (pack.rounded && rounded.empty()) rounded = rounded_x(region, training);
    const Buffer given = pack.argument == kX ? training.constant_x : training.constant_targets;
    const void* from = pack.rounded ? rounded.data() : cpu::data<const void>(given);
    void* to = static_cast<char*>(pack.shared ? shared : arena) + pack.offset;
    copy_to_pack(pack, training.dtype, from, to);
  }
}

// Entry (row, column) of one side of a hoisted product.
template <class T>
double side_entry(const Region& region, const TrainingRegion& training, std::optional<ValueId> side, std::int64_t row,
                  std::int64_t column) {
  if (!side) return 1;
  const Buffer buffer = region[*side].role == RegionRole::x ? training.constant_x : training.constant_targets;
  return static_cast<double>(cpu::data<const T>(buffer)[row * region[*side].columns + column]);
}

template <class T>
void precompute(const Lowered& lowered, const Region& region, const TrainingRegion& training, void* arena) {
  for (const Precomputed& precomputed : lowered.precomputed) {
    const Matrix& matrix = precomputed.matrix;
    const HoistedProduct& product = precomputed.product;
    T* to = reinterpret_cast<T*>(static_cast<char*>(arena) + precomputed.offset);
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.columns; ++j) {
        double sum = 0;
        for (std::int64_t row = 0; row < training.rows; ++row) {
          sum += side_entry<T>(region, training, product.left, row, i) *
                 side_entry<T>(region, training, product.right, row, j);
        }
        to[i * matrix.row_stride + j * matrix.column_stride] = static_cast<T>(product.factor * sum);
      }
    }
  }
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("dump: cannot write " + path.string());
}

// What was made of a region, into a folder, which it makes: NAME-region.txt as it was handed over, NAME-plan.txt,
// NAME.cpp, NAME.ll and NAME.s.
void dump(const std::filesystem::path& folder, const std::string& name, const Region& region, const std::string& plan,
          const Program& program, const Listing& listing) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  write(folder / (name + "-region.txt"), text_of(region));
  write(folder / (name + "-plan.txt"), plan);
  write(folder / (name + ".cpp"), text_of(program));
  write(folder / (name + ".ll"), listing.intermediate);
  write(folder / (name + ".s"), listing.assembly);
}

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Compiles a region for one thread after the other, adding up what that takes.
class RegionCompiler {
 public:
  RegionCompiler(const TrainingRegion& training, const Region& source, const Choices& choices)
      : training_(training), source_(source), choices_(choices) {}

  PlanChoice choose(std::span<const Target> targets, int threads) {
    const Clock::time_point start = Clock::now();
    PlanChoice choice = choose_plan(source_, targets, choices_, threads);
    planning_ns_ = nanoseconds_since(start);
    predicted_cycles_ = choice.cycles;
    nanoseconds_per_cycle_ = nanoseconds_per_cycle(choice.plan.target);
    prediction_ = name_of_prediction(choice.plan.target);
    return choice;
  }

  // Of thread 0 what readers see: its reports and its listing.
  ThreadCode compile_for(const PlanChoice& choice, const Share& share, RegionRun& region) {
    const Clock::time_point start = Clock::now();
    const Lowered lowered = lower(source_, choices_, choice.plan, share);
    lowering_ns_ += nanoseconds_since(start);
    const Clock::time_point compiling = Clock::now();
    ThreadCode code;
    std::string error;
    Listing listing;
    const bool listed = share.thread == 0 && !choices_.dump.empty();
    const Target& target = choice.plan.target;
    code.compiled =
        compile(lowered.program, {target.vector_bits, target.avx512, target.pairs}, listed ? &listing : nullptr, error);
    if (code.compiled == nullptr) throw std::runtime_error(error);
    code_ns_ += nanoseconds_since(compiling);
    if (listed)
      dump(choices_.dump, training_.name, source_, choice.considered + lowered.plan, lowered.program, listing);
    code.arena = zeroed(lowered.arena_bytes);
    if (share.thread == 0) region.shared = zeroed(lowered.shared_bytes);
    make_packs(lowered, source_, training_, code.arena.get(), region.shared.get());
    catalogue::with_element(
        training_.dtype, [&](auto zero) { precompute<decltype(zero)>(lowered, source_, training_, code.arena.get()); });
    if (share.thread == 0) {
      region.arena_argument = lowered.arena_argument;
      region.dtype = training_.dtype;
      region.state = lowered.state;
      if (!region.state.empty()) {
        region.load_state = load_state;
        region.store_state = store_state;
      }
      std::ranges::copy(lowered.fired, fired_);
    }
    return code;
  }

  // A record per pass, whose time is in that of the whole, and one for each half of the work.
  std::vector<RegionReport> reports() const {
    std::vector<RegionReport> reports;
    for (std::size_t i = 0; i < kPassCount; ++i) reports.push_back({name_of(static_cast<Pass>(i)), fired_[i], 0});
    // Not a part of the work: what a step of a whole batch was expected to take, for those who see what it does.
    if (!training_.minor) {
      reports.push_back({prediction_, std::llround(predicted_cycles_), predicted_cycles_ * nanoseconds_per_cycle_});
    }
    reports.push_back({"planning", 1, planning_ns_});
    reports.push_back({"lowering", 1, lowering_ns_});
    reports.push_back({"code generation", 1, code_ns_});
    return reports;
  }

 private:
  const TrainingRegion& training_;
  const Region& source_;
  const Choices& choices_;
  double planning_ns_ = 0;
  double predicted_cycles_ = 0;
  double nanoseconds_per_cycle_ = 0;
  const char* prediction_ = nullptr;
  double lowering_ns_ = 0;
  double code_ns_ = 0;
  std::int64_t fired_[kPassCount] = {};
};

// Those of the compute threads, the caller's first; none where they are unknown.
std::vector<int> processors_of(const gdbench_settings* settings) {
  if (settings == nullptr || settings->compute_cores == nullptr) return {};
  return {settings->compute_cores, settings->compute_cores + settings->compute_core_count};
}

cpu::OwnedCall* bind_region(const TrainingRegion& training, int threads, std::string& unsupported) {
  const Choices choices = choices_of(training.settings);
  std::vector<Target> targets = targets_for(choices.instructions);
  for (Target& target : targets) target.second_cache_bytes = 1024 * static_cast<double>(choices.second_cache_kib);
  if (targets.empty()) {
    unsupported = this_machine() == nullptr ? "a processor with AVX2 and FMA is needed"
                                            : "this processor lacks what the option instructions names";
  }
  if (unsupported.empty()) unsupported = reason_against(choices);
  if (unsupported.empty()) unsupported = unsupported_reason(training);
  if (training.hoist && catalogue::is_mixed(training.dtype)) unsupported = "hoisting rounds no operand to bfloat16";
  if (!unsupported.empty()) return nullptr;
  Region source = region_of(training);
  if (training.hoist && !hoist(source)) {
    unsupported = "hoisting needs a linear regression on a batch that is the same in all steps";
    return nullptr;
  }
  unsupported = reason_against_threads(source, choices, threads);
  if (!unsupported.empty() && !training.minor) return nullptr;
  if (!unsupported.empty()) threads = 1;
  unsupported.clear();
  RegionRun region;
  RegionCompiler compiler(training, source, choices);
  const PlanChoice choice = compiler.choose(targets, threads);
  if (choice.plan.pairs) region.mixed_products = "products of bfloat16 by the processor's instructions for them";
  for (int thread = 0; thread < threads; ++thread) {
    region.threads.push_back(compiler.compile_for(choice, {thread, threads}, region));
  }
  if (threads > 1) region.team = team_of(threads, processors_of(training.settings));
  region.times = compiler.reports();
  region.reports = region.times.data();  // a vector's entries stay where they are when it is moved
  region.report_count = region.times.size();
  return cpu::make_binding(std::move(region), run).call;
}

}  // namespace
}  // namespace jit

const cpu::Definition& cpu::definition() {
  static const Definition definition = [] {
    Definition backend = naive::definition();
    backend.name = "jit";
    backend.flags = 0;
    backend.dtypes = catalogue::kUniformDtypes | catalogue::bit_of(Dtype::bf16);
    backend.optimizers &= ~catalogue::bit_of(OptimizerKind::muon);  // its update is no rule for an entry
    backend.max_compute_threads = jit::kMaxThreads;
    backend.bind_region = jit::bind_region;
    backend.regions = jit::region_functions();
    return backend;
  }();
  return definition;
}

}  // namespace gdbench::backends
