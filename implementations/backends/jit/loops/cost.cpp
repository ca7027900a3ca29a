#include "implementations/backends/jit/loops/cost.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

namespace gdbench::backends::jit {
namespace {

std::int64_t trips_of(const Loop& loop) { return loop.over_steps ? 1 : loop.rounds(); }

// Entries of one array that a block reads or writes while the loops around it stand still: from `low` to `high`,
// `volume` of them at most, wherever `terms` of those loops put them.
struct Touched {
  ArrayId array = 0;
  std::vector<std::pair<LoopId, std::int64_t>> terms;
  double low = 0;
  double high = 0;
  double volume = 0;
  // Runs of so many entries side by side, and how the runs follow each other: so far apart, so often.
  double run = 0;
  std::vector<std::pair<double, double>> strides;
  bool fetched = false;  // ahead, by the program

  // What has no gaps is one run.
  void close_gaps() {
    if (volume < high - low) return;
    run = high - low;
    strides.clear();
  }
};

// What a block touches, without saying anything twice.
class Footprint {
 public:
  void add(const Touched& touched) {
    for (Touched& known : all_) {
      if (known.array != touched.array || known.terms != touched.terms) continue;
      known.low = std::min(known.low, touched.low);
      known.high = std::max(known.high, touched.high);
      known.volume += touched.volume;
      known.run = std::min(known.high - known.low, known.run + touched.run);
      if (known.strides.size() < touched.strides.size()) known.strides = touched.strides;
      known.fetched |= touched.fetched;
      known.close_gaps();
      return;
    }
    all_.push_back(touched);
  }

  // As seen from outside of a loop that runs through all of its rounds.
  Footprint around(const Loop& loop) const {
    Footprint outer;
    for (Touched touched : all_) {
      const auto term =
          std::ranges::find(touched.terms, loop.id, [](const std::pair<LoopId, std::int64_t>& t) { return t.first; });
      if (term != touched.terms.end()) {
        const auto trips = static_cast<double>(trips_of(loop));
        const auto stride = static_cast<double>(term->second * loop.step);
        touched.low += std::min(0.0, stride * (trips - 1));
        touched.high += std::max(0.0, stride * (trips - 1));
        touched.volume *= trips;
        if (std::abs(stride) <= touched.run && touched.strides.empty()) {
          touched.run += std::abs(stride) * (trips - 1);
        } else {
          touched.strides.emplace_back(std::abs(stride), trips);
        }
        touched.terms.erase(term);
        touched.close_gaps();
      }
      outer.add(touched);
    }
    return outer;
  }

  double bytes(const Program& program) const {
    double sum = 0;
    for (const Touched& touched : all_) sum += bytes_of_touched(program, touched);
    return sum;
  }

  double fetched_bytes(const Program& program) const {
    double sum = 0;
    for (const Touched& touched : all_) {
      if (touched.fetched) sum += bytes_of_touched(program, touched);
    }
    return sum;
  }

  double unfetched_bytes(const Program& program, double far_bytes) const {
    double sum = 0;
    for (const Touched& touched : all_) {
      const auto element = static_cast<double>(bytes_of(program.arrays[touched.array].element));
      const bool far = std::ranges::any_of(touched.strides, [&](const auto& stride) {
        return stride.first * element >= far_bytes && stride.second > 1;
      });
      // What lies behind the first line of a run is fetched.
      if (far && !touched.fetched) sum += touched.volume / touched.run * kLineBytes;
    }
    return sum;
  }

  // Whether the cache keeps all of it: addresses that differ by multiples of some power of two share few of its sets.
  bool fits(const Program& program, const Cache& cache) const {
    const double sets = cache.bytes / cache.ways / kLineBytes;
    double taken = 0;
    for (const Touched& touched : all_) {
      const auto element = static_cast<double>(bytes_of(program.arrays[touched.array].element));
      double reached = std::clamp(touched.run * element / kLineBytes, 1.0, sets);
      for (const auto& [stride, trips] : touched.strides) {
        // Lines so far apart come back to the same set after sets / gcd of them.
        const auto lines = static_cast<std::int64_t>(stride * element / kLineBytes);
        const double period = sets / static_cast<double>(std::gcd(lines, static_cast<std::int64_t>(sets)));
        reached = std::min(sets, reached * std::min(trips, std::max(1.0, period)));
      }
      const double bytes = bytes_of_touched(program, touched);
      if (bytes > reached * cache.ways * kLineBytes) return false;
      taken += bytes;
    }
    return taken <= cache.bytes;
  }

  const std::vector<Touched>& all() const { return all_; }

 private:
  static double bytes_of_touched(const Program& program, const Touched& touched) {
    return std::min(touched.high - touched.low, touched.volume) *
           static_cast<double>(bytes_of(program.arrays[touched.array].element));
  }

  std::vector<Touched> all_;
};

// A block, or a loop with all its rounds.
struct Part {
  Cost cost;
  Footprint footprint;
};

class Counting {
 public:
  Counting(const Program& program, const CoreModel& core)
      : program_(program), core_(core), is_loaded_(program.registers.size(), false) {}

  Cost run() {
    Cost cost = steps().cost;
    // What the second cache delivers is partly hidden behind instructions; what comes from beyond is fetched ahead.
    const double late = cost.second_cache_bytes - core_.hidden_part_of_fetched * cost.fetched_bytes;
    cost.cycles = std::max(cost.instruction_cycles + late / core_.second_cache_bytes_per_cycle +
                               cost.late_bytes / core_.late_bytes_per_cycle +
                               cost.unfetched_bytes / core_.unfetched_bytes_per_cycle,
                           cost.beyond_bytes / core_.beyond_bytes_per_cycle);
    return cost;
  }

 private:
  // Instructions of a block that are in no loop inside of it.
  struct Mix {
    double arithmetic = 0;
    double pairs = 0;
    double tiles = 0;
    double tile_stores = 0;
    double divisions = 0;
    double loads = 0;
    double stores = 0;
    double shuffles = 0;
    double others = 0;
    std::map<VariableId, double> additions;  // to the same variable, one after the other
  };

  // The loop over steps, without what comes before the first and after the last; all of a program that has none.
  Part steps() {
    const auto is_steps = [](const Statement& statement) { return statement.loop && statement.loop->over_steps; };
    const auto found = std::ranges::find_if(program_.body, is_steps);
    return found == program_.body.end() ? block(program_.body) : loop(*found->loop);
  }

  static void add(Cost& cost, const std::string& note, double cycles) {
    if (note.empty()) return;
    const auto known = std::ranges::find(cost.noted_cycles, note, [](const auto& noted) { return noted.first; });
    if (known == cost.noted_cycles.end()) {
      cost.noted_cycles.emplace_back(note, cycles);
    } else {
      known->second += cycles;
    }
  }

  Part block(const Block& statements) {
    Part part;
    Mix mix;
    Footprint direct;
    std::string note;
    for (const Statement& statement : statements) {
      if (!statement.loop) {
        if (statement.instruction.code == Code::note) note = statement.instruction.text;
        count(statement.instruction, mix, direct);
        continue;
      }
      const Part inner = loop(*statement.loop);
      double unnoted = inner.cost.instruction_cycles;
      for (const auto& [text, cycles] : inner.cost.noted_cycles) {
        add(part.cost, text, cycles);
        unnoted -= cycles;
      }
      add(part.cost, note, unnoted);
      part.cost.instruction_cycles += inner.cost.instruction_cycles;
      part.cost.second_cache_bytes += inner.cost.second_cache_bytes;
      part.cost.fetched_bytes += inner.cost.fetched_bytes;
      part.cost.beyond_bytes += inner.cost.beyond_bytes;
      part.cost.late_bytes += inner.cost.late_bytes;
      part.cost.unfetched_bytes += inner.cost.unfetched_bytes;
      for (const Touched& touched : inner.footprint.all()) part.footprint.add(touched);
    }
    const double bytes = direct.bytes(program_);
    part.cost.second_cache_bytes += bytes;
    part.cost.fetched_bytes += direct.fetched_bytes(program_);
    part.cost.beyond_bytes += bytes;
    const double far = direct.unfetched_bytes(program_, core_.far_bytes);
    part.cost.late_bytes += far;
    part.cost.unfetched_bytes += far;
    for (const Touched& touched : direct.all()) part.footprint.add(touched);
    part.cost.instruction_cycles += cycles_of(mix);
    add(part.cost, note, cycles_of(mix));
    return part;
  }

  Part loop(const Loop& loop) {
    Part body = block(loop.body);
    Part all;
    all.footprint = body.footprint.around(loop);
    const auto trips = static_cast<double>(trips_of(loop));
    for (const auto& [text, cycles] : body.cost.noted_cycles) add(all.cost, text, trips * cycles);
    all.cost.instruction_cycles = trips * body.cost.instruction_cycles + (loop.over_steps ? 0 : core_.cycles_per_loop);
    // A cache that holds a round's data has, in the next round, what both share; of steps that share all of it, all.
    const double all_bytes = loop.over_steps ? 0 : all.footprint.bytes(program_);
    const bool in_first = body.footprint.fits(program_, core_.first_cache);
    const bool in_second = body.footprint.fits(program_, core_.second_cache);
    const double all_fetched = loop.over_steps ? 0 : all.footprint.fetched_bytes(program_);
    all.cost.second_cache_bytes = in_first ? all_bytes : trips * body.cost.second_cache_bytes;
    all.cost.fetched_bytes = in_first ? all_fetched : trips * body.cost.fetched_bytes;
    all.cost.beyond_bytes = in_second ? all_bytes : trips * body.cost.beyond_bytes;
    const double far = loop.over_steps ? 0 : all.footprint.unfetched_bytes(program_, core_.far_bytes);
    all.cost.late_bytes = in_first ? far : trips * body.cost.late_bytes;
    all.cost.unfetched_bytes = in_second ? far : trips * body.cost.unfetched_bytes;
    return all;
  }

  double cycles_of(const Mix& mix) const {
    const double instructions =
        mix.arithmetic + mix.pairs + mix.divisions + mix.loads + mix.stores + mix.shuffles + mix.others;
    const double arithmetic = mix.arithmetic / core_.arithmetic_per_cycle;
    double cycles =
        std::max({arithmetic + mix.pairs * core_.pair_cycles + mix.divisions * core_.division_cycles,
                  mix.tiles * core_.tile_cycles, mix.loads / core_.loads_per_cycle, mix.stores / core_.stores_per_cycle,
                  mix.shuffles / core_.shuffles_per_cycle, instructions / core_.instructions_per_cycle});
    cycles += mix.tile_stores * core_.tile_store_cycles;
    for (const auto& [variable, additions] : mix.additions) {
      cycles = std::max(cycles, additions * core_.addition_latency);
    }
    return cycles;
  }

  void count(const Instruction& instruction, Mix& mix, Footprint& direct) {
    switch (instruction.code) {
      case Code::load:
        ++mix.loads;
        is_loaded_[instruction.result] = true;
        touch(instruction.address, program_.registers[instruction.result].lanes, direct);
        break;
      case Code::store:
        ++mix.stores;
        touch(instruction.address, program_.registers[instruction.operands[0]].lanes, direct);
        break;
      case Code::prefetch:  // takes a line's place in the cache
        ++mix.loads;
        touch(instruction.address, kLineBytes / static_cast<int>(bytes_of(element_of(instruction.address))), direct,
              true);
        break;
      case Code::splat:  // of what was loaded: by the load
        if (!is_loaded_[instruction.operands[0]]) ++mix.shuffles;
        break;
      case Code::shuffle:
      case Code::lane:
        ++mix.shuffles;
        break;
      case Code::divide:
      case Code::square_root:
        ++mix.divisions;
        break;
      case Code::reciprocal_estimate:
      case Code::reciprocal_root_estimate:
        mix.arithmetic += 2;
        break;
      case Code::narrow:
        mix.arithmetic += 4;
        break;
      case Code::pair_neighbours:
        mix.shuffles += 2;
        break;
      case Code::pair_lanes:
        mix.shuffles += 3;
        break;
      case Code::add_pairs:
        ++mix.pairs;
        break;
      case Code::tile_multiply:
        ++mix.tiles;
        break;
      case Code::tile_load:
      case Code::tile_store:
        (instruction.code == Code::tile_load ? mix.loads : mix.stores) += kTileRows;
        if (instruction.code == Code::tile_store) ++mix.tile_stores;
        for (int row = 0; row < kTileRows; ++row) {
          Address address = instruction.address;
          address.index = address.index + Affine(row * instruction.row_stride);
          touch(address, kTileColumns, direct);
        }
        break;
      case Code::set:
        ++mix.additions[instruction.variable];
        break;
      case Code::tile_zero:
      case Code::constant:
      case Code::get:
      case Code::fence:
      case Code::meet:
      case Code::note:
        break;
      case Code::count:
      case Code::convert:
        ++mix.others;
        break;
      default:
        ++mix.arithmetic;
    }
  }

  Scalar element_of(const Address& address) const { return program_.arrays[address.array].element; }

  void touch(const Address& address, int lanes, Footprint& direct, bool fetched = false) const {
    const auto low = static_cast<double>(address.index.constant);
    const auto run = static_cast<double>(lanes);
    direct.add({address.array, address.index.terms, low, low + run, run, run, {}, fetched});
  }

  const Program& program_;
  const CoreModel& core_;
  std::vector<bool> is_loaded_;  // by register
};

}  // namespace

Cost cost_of(const Program& program, const CoreModel& core) { return Counting(program, core).run(); }

}  // namespace gdbench::backends::jit
