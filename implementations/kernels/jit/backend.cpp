// Code that is made for a region while its model is prepared. Single ops, which the evaluation of the loss takes, are
// the plain loops of naive: no step of training runs them.
#include "implementations/kernels/cpu/backend.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "implementations/kernels/jit/dump.h"
#include "implementations/kernels/jit/llvm/compiler.h"
#include "implementations/kernels/jit/lower/context.h"
#include "implementations/kernels/jit/lower/step.h"
#include "implementations/kernels/jit/region/hoist.h"
#include "implementations/kernels/naive/definition.h"

namespace gdbench::kernels {

namespace jit {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

Memory zeroed(std::int64_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) / kPage + 1) * kPage;
  Memory memory(std::aligned_alloc(kPage, rounded));
  if (!memory) throw std::bad_alloc();
  std::fill_n(static_cast<char*>(memory.get()), rounded, '\0');
  return memory;
}

struct RegionRun : cpu::OwnedCall {
  std::unique_ptr<Compiled> compiled;
  Memory arena;
  std::size_t arena_argument = 0;  // behind the buffers
  std::vector<RegionReport> times;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A record per pass, whose time is in that of the whole, and one for each half of the work.
std::vector<RegionReport> reports_of(const Lowered& lowered, double lowering_ns, double code_ns) {
  std::vector<RegionReport> reports;
  for (std::size_t i = 0; i < kPassCount; ++i) reports.push_back({name_of(static_cast<Pass>(i)), lowered.fired[i], 0});
  reports.push_back({"lowering", 1, lowering_ns});
  reports.push_back({"code generation", 1, code_ns});
  return reports;
}

void run(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& region = *static_cast<const RegionRun*>(call);
  void* arguments[kMostArguments];
  for (std::size_t i = 0; i < region.arena_argument; ++i) arguments[i] = cpu::data<void>(buffers[i]);
  arguments[region.arena_argument] = region.arena.get();
  region.compiled->function(arguments, static_cast<std::int64_t>(region.steps));
}

// Columns of `from` side by side, block after block.
template <class T>
void make_pack(const Pack& pack, const T* from, T* to, std::int64_t lanes) {
  const std::int64_t stride = (pack.block_rows + lanes - 1) / lanes * lanes;
  for (std::int64_t row = 0; row < pack.rows; ++row) {
    T* block = to + row / pack.block_rows * stride * pack.columns + row % pack.block_rows;
    for (std::int64_t column = 0; column < pack.columns; ++column)
      block[column * stride] = from[row * pack.columns + column];
  }
}

void make_packs(const Lowered& lowered, const TrainingRegion& training, const Target& target, void* arena) {
  for (const Pack& pack : lowered.packs) {
    const Buffer from = pack.argument == kX ? training.constant_x : training.constant_targets;
    void* to = static_cast<char*>(arena) + pack.offset;
    const std::int64_t skipped = pack.first_row * pack.columns;
    if (training.dtype == GDBENCH_F32) {
      make_pack(pack, cpu::data<const float>(from) + skipped, static_cast<float*>(to), target.lanes(Scalar::f32));
    } else {
      make_pack(pack, cpu::data<const double>(from) + skipped, static_cast<double*>(to), target.lanes(Scalar::f64));
    }
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

cpu::OwnedCall* bind_region(const TrainingRegion& training, std::string& unsupported) {
  using Clock = std::chrono::steady_clock;
  const Choices choices = choices_of(training.settings);
  const Target* target = this_machine(choices.vector_bits);
  if (target == nullptr) unsupported = "code for a processor without AVX2 and FMA";
  if (unsupported.empty()) unsupported = unsupported_reason(training);
  if (!unsupported.empty()) return nullptr;
  const Clock::time_point start = Clock::now();
  Region source = region_of(training);
  if (training.hoist && !hoist(source)) {
    unsupported = "hoisting but for linear regression on a batch that is the same in all steps";
    return nullptr;
  }
  const Lowered lowered = lower(source, *target, choices);
  const double lowering_ns = seconds_since(start) * 1e9;
  std::string error;
  Listing listing;
  RegionRun region;
  const Clock::time_point compiling = Clock::now();
  region.compiled = compile(lowered.program, target->vector_bits, choices.dump.empty() ? nullptr : &listing, error);
  if (region.compiled == nullptr) throw std::runtime_error(error);
  region.times = reports_of(lowered, lowering_ns, seconds_since(compiling) * 1e9);
  if (!choices.dump.empty()) dump(choices.dump, training.name, source, lowered, listing);
  region.arena = zeroed(lowered.arena_bytes);
  make_packs(lowered, training, *target, region.arena.get());
  if (training.dtype == GDBENCH_F32) {
    precompute<float>(lowered, source, training, region.arena.get());
  } else {
    precompute<double>(lowered, source, training, region.arena.get());
  }
  region.arena_argument = lowered.arena_argument;
  region.reports = region.times.data();  // a vector's entries stay where they are when it is moved
  region.report_count = region.times.size();
  return cpu::make_binding(std::move(region), run).call;
}

}  // namespace
}  // namespace jit

const cpu::Definition& cpu::definition() {
  static const Definition definition = [] {
    Definition regions = naive::definition();
    regions.name = "jit";
    regions.flags = 0;
    regions.bind_region = jit::bind_region;
    regions.region_options = jit::region_options();
    regions.region_passes = jit::kPassNames;
    return regions;
  }();
  return definition;
}

}  // namespace gdbench::kernels
