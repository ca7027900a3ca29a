#include "harness/questions/watch/watch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/stats/change_points.h"

namespace gdbench::watch {

namespace {

using report::WatchedBlock;
using report::WatchedLevel;

// Of each interval. One training is one process: intervals are over its blocks and say nothing of other processes.
constexpr double kConfidence = 0.99;
constexpr std::size_t kFewestBlocks = 5;  // of a level
constexpr double kPause = 3;              // times what the blocks of a level take

// A block of the training with its time at the control's usual pace.
struct Judged {
  const WatchedBlock* block = nullptr;
  double step_ns = 0;
};

// A single block of the control may be disturbed itself: its pace is the median over five of them.
std::vector<double> pace_of_control(const std::vector<const WatchedBlock*>& blocks) {
  constexpr std::size_t kReach = 2;
  std::vector<double> all;
  for (const WatchedBlock* block : blocks) all.push_back(*block->control_ns);
  const double usual = stats::median(all);
  std::vector<double> pace;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t begin = i - std::min(i, kReach);
    const std::size_t end = std::min(all.size(), i + kReach + 1);
    pace.push_back(stats::median({all.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all.begin() + static_cast<std::ptrdiff_t>(end)}) /
                   usual);
  }
  return pace;
}

// Those that waited for no processor; all of them where such are the minority.
std::vector<Judged> judged_blocks(const std::vector<WatchedBlock>& blocks) {
  const auto disturbed = static_cast<std::size_t>(std::ranges::count_if(blocks, &WatchedBlock::is_disturbed));
  std::vector<const WatchedBlock*> counted;
  for (const WatchedBlock& block : blocks) {
    if (!block.is_disturbed() || 2 * disturbed > blocks.size()) counted.push_back(&block);
  }
  const bool paced = std::ranges::all_of(counted, [](const WatchedBlock* block) { return block->control_ns > 0; });
  const std::vector<double> pace = paced ? pace_of_control(counted) : std::vector<double>(counted.size(), 1);
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < counted.size(); ++i) judged.push_back({counted[i], counted[i]->step_ns / pace[i]});
  return judged;
}

stats::Estimate typical_step(const std::vector<Judged>& blocks, std::size_t begin, std::size_t end) {
  std::vector<stats::Observation> times;
  for (std::size_t i = begin; i < end; ++i) times.push_back({static_cast<int>(i), blocks[i].step_ns});
  return stats::typical_time(times, stats::confidence_of_each(kConfidence));
}

// Borders between levels, 0 and the number of blocks among them.
std::vector<std::size_t> borders_of_levels(const std::vector<Judged>& blocks, double margin) {
  std::vector<double> logarithms;
  for (const Judged& one : blocks) logarithms.push_back(std::log(one.step_ns));
  std::vector<std::size_t> borders = stats::change_points(logarithms);
  borders.insert(borders.begin(), 0);
  borders.push_back(blocks.size());
  const std::size_t fewest = std::max(kFewestBlocks, blocks.size() / 20);
  while (borders.size() > 2) {
    // Of each inner border how far apart the levels on its sides are; less where one of them is too short.
    std::size_t weakest = 1;
    double least = 0;
    for (std::size_t i = 1; i + 1 < borders.size(); ++i) {
      const double before = typical_step(blocks, borders[i - 1], borders[i]).value;
      const double after = typical_step(blocks, borders[i], borders[i + 1]).value;
      const bool is_short = std::min(borders[i] - borders[i - 1], borders[i + 1] - borders[i]) < fewest;
      const double apart = std::abs(std::log(after / before)) - (is_short ? 1e3 : 0);
      if (i == 1 || apart < least) {
        weakest = i;
        least = apart;
      }
    }
    if (least > std::log1p(margin)) break;
    borders.erase(borders.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return borders;
}

void find_levels(const std::vector<Judged>& blocks, report::Watched& watched) {
  const std::vector<std::size_t> borders = borders_of_levels(blocks, watched.margin);
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const stats::Estimate step = typical_step(blocks, borders[i], borders[i + 1]);
    WatchedLevel level{.first = blocks[borders[i]].block->first,
                       .end = blocks[borders[i + 1] - 1].block->end(),
                       .blocks = static_cast<int>(borders[i + 1] - borders[i]),
                       .step_ns = step.value,
                       .interval = step.interval};
    if (i > 0) {
      const stats::Estimate ratio = stats::unpaired_ratio(typical_step(blocks, 0, borders[1]), step);
      level.ratio = ratio.value;
      level.ratio_interval = ratio.interval;
    }
    for (std::size_t block = borders[i]; block < borders[i + 1]; ++block) {
      if (blocks[block].block->subnormals) level.subnormals = blocks[block].block->subnormals;
    }
    watched.levels.push_back(level);
  }
}

// Of the last level to the first; where there is one level, of its last third to its first.
stats::Verdict change_of(const std::vector<Judged>& blocks, const report::Watched& watched) {
  const WatchedLevel& last = watched.levels.back();
  const std::size_t third = blocks.size() / 3;
  const stats::Estimate ratio =
      watched.levels.size() > 1
          ? stats::Estimate{.value = last.ratio, .interval = last.ratio_interval, .launches = last.blocks}
          : stats::unpaired_ratio(typical_step(blocks, 0, third),
                                  typical_step(blocks, blocks.size() - third, blocks.size()));
  return stats::compare_ratio(ratio, {.margin = watched.margin}).verdict;
}

// Of all blocks, less what they waited.
report::Pauses find_pauses(const std::vector<WatchedBlock>& blocks, const std::vector<WatchedLevel>& levels) {
  report::Pauses pauses;
  double all_ns = 0;
  double lost_ns = 0;
  std::size_t level = 0;
  for (const WatchedBlock& block : blocks) {
    const auto steps = static_cast<double>(block.steps);
    all_ns += block.step_ns * steps;
    while (block.first >= levels[level].end && level + 1 < levels.size()) ++level;
    const double step_ns = block.undisturbed_step_ns();
    if (step_ns < kPause * levels[level].step_ns) continue;
    const double beyond_ns = (step_ns - levels[level].step_ns) * steps;
    ++pauses.blocks;
    lost_ns += beyond_ns;
    if (beyond_ns > pauses.worst_ns) {
      pauses.worst = block.first;
      pauses.worst_ns = beyond_ns;
    }
  }
  if (all_ns > 0) pauses.share = lost_ns / all_ns;
  return pauses;
}

// Memory grows where each third of the last three quarters ends higher than it began by a quarter of the largest such
// gain at least, and by 256 KiB together: an allocator's pages come and go, and a buffer that is made late comes once.
template <class BytesOf>
report::MemoryCourse memory_course(const std::vector<WatchedBlock>& blocks, const BytesOf& bytes_of) {
  constexpr double kLeastGrowth = 256 << 10;
  report::MemoryCourse course{.first_bytes = bytes_of(blocks.front()), .last_bytes = bytes_of(blocks.back())};
  const std::vector<WatchedBlock> late(blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 4), blocks.end());
  const auto growth = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(bytes_of(late[to]) - bytes_of(late[from]));
  };
  const std::size_t third = late.size() / 3;
  if (third == 0) return course;
  std::vector<double> gains;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t end = i == 2 ? late.size() - 1 : (i + 1) * third;
    gains.push_back(growth(i * third, end));
  }
  const auto [least, most] = std::ranges::minmax(gains);
  if (least <= 0 || least < most / 4 || gains[0] + gains[1] + gains[2] < kLeastGrowth) return course;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < late.size(); ++i) {
    for (std::size_t j = i + 1; j < late.size(); ++j) {
      slopes.push_back(growth(i, j) / static_cast<double>(late[j].end() - late[i].end()));
    }
  }
  course.bytes_per_step = stats::median(std::move(slopes));
  return course;
}

}  // namespace

void judge(report::Watched& watched) {
  watched.confidence = kConfidence;
  for (const WatchedBlock& block : watched.blocks) {
    watched.traces += block.traces.value_or(0);
    if (block.traces.value_or(0) > 0) watched.last_trace = block.first;
    if (block.loss && !std::isfinite(*block.loss) && !watched.first_not_finite) {
      watched.first_not_finite = block.end();
    }
  }
  if (watched.blocks.size() < 3 * kFewestBlocks) return;  // too few to say anything
  const std::vector<Judged> blocks = judged_blocks(watched.blocks);
  find_levels(blocks, watched);
  watched.change = change_of(blocks, watched);
  watched.pauses = find_pauses(watched.blocks, watched.levels);
  watched.memory = memory_course(watched.blocks, [](const WatchedBlock& block) { return block.own_bytes; });
  if (!watched.blocks.front().device_bytes) return;
  watched.device_memory =
      memory_course(watched.blocks, [](const WatchedBlock& block) { return block.device_bytes.value_or(0); });
}

}  // namespace gdbench::watch
