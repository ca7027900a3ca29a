#include "harness/machine/probe_team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "harness/machine/vector_kernels.h"

namespace gdbench::machine {

namespace {

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool move_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

ProbeTeam::ProbeTeam(const std::vector<int>& processors) : stamps_(processors.size()) {
  constexpr std::align_val_t kLine{64};
  for (std::size_t t = 0; t < processors.size(); ++t) {
    auto* scratch = static_cast<std::byte*>(operator new(kFunctionBytes, kLine));
    constexpr int kPositiveNumber = 0x3f;  // in every byte: 0.75 as f32, 5e-4 as f64
    std::memset(scratch, kPositiveNumber, kFunctionBytes);
    scratch_.push_back(scratch);
  }
  const bool placed = move_to(processors.front());
  std::atomic<bool> all_placed = true;
  for (std::size_t t = 1; t < processors.size(); ++t) {
    helpers_.emplace_back([this, &all_placed, index = static_cast<int>(t), processor = processors[t]] {
      if (!move_to(processor)) all_placed = false;
      meet();
      while (true) {
        meet();
        if (ended_) return;
        work(index);
      }
    });
  }
  meet();
  placed_ = placed && all_placed;
}

ProbeTeam::~ProbeTeam() {
  ended_ = true;
  meet();
  for (std::thread& helper : helpers_) helper.join();
  for (std::byte* scratch : scratch_) operator delete (scratch, std::align_val_t{64});
}

Reading ProbeTeam::time(const std::function<void(const Part&)>& warm_up,
                        const std::function<std::int64_t(const Part&)>& timed) {
  warm_up_ = &warm_up;
  timed_ = &timed;
  meet();
  work(0);
  double begin = stamps_.front().begin_ns;
  double end = stamps_.front().end_ns;
  double units = 0;
  for (const Stamps& stamps : stamps_) {
    begin = std::min(begin, stamps.begin_ns);
    end = std::max(end, stamps.end_ns);
    units += static_cast<double>(stamps.units);
  }
  return {units, end - begin};
}

void ProbeTeam::work(int index) {
  const Part part{index, size(), buffer_, scratch_[static_cast<std::size_t>(index)]};
  Stamps& stamps = stamps_[static_cast<std::size_t>(index)];
  (*warm_up_)(part);
  meet();
  stamps.begin_ns = now_ns();
  stamps.units = (*timed_)(part);
  stamps.end_ns = now_ns();
  meet();
}

// Returns once all threads of the team are here. They spin: no other thread is meant to use their processors.
void ProbeTeam::meet() {
  const int meeting = meetings_.load();
  if (arrived_.fetch_add(1) + 1 == static_cast<int>(stamps_.size())) {
    arrived_ = 0;
    meetings_ = meeting + 1;
    return;
  }
  while (meetings_.load() == meeting) sched_yield();
}

}  // namespace gdbench::machine
