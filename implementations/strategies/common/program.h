// A flat list of calls that were bound ahead, with the buffers that each one takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "implementations/strategies/common/call_clock.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

// An operand as a strategy writes it: the shape of a request together with its buffer.
struct Matrix {
  backends::Buffer buffer = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  backends::Layout layout = backends::Layout::row_major;
  std::int64_t entries = 0;  // as in backends::Operand
};

class Program {
 public:
  Program() = default;
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;
  Program(const Program&) = delete;  // steps point into its own buffers
  Program& operator=(const Program&) = delete;

  // Binds and appends a call. `request` holds op, dtype and attributes; its operands are filled in from `operands`.
  // Phase and part are a profile's.
  void add(Session& session, backends::Request request, catalogue::Phase phase, const ModelPart& part,
           const std::vector<Matrix>& operands);

  // Appends a call that was bound before, with buffers for all its operands.
  void append(const backends::Call* call, const ProfiledAs& as, std::span<const backends::Buffer> buffers);

  // Where `buffer` is an operand, to put another one there. Valid until the next add.
  std::vector<backends::Buffer*> occurrences(backends::Buffer buffer);

  void run() const {
    for (const Step& step : steps_) step.run(step.call, step.buffers, nullptr);
  }
  // As run, so many times: where steps are shortest, a loop whose place in the cache lines is known.
  void repeat(std::uint64_t times) const;
  // As run, each call profiled.
  void run_profiled(CallClock& clock) const;

 private:
  // All that running a call takes, so that the loop above reads one array from front to back.
  struct Step {
    void (*run)(const backends::Call*, const backends::Buffer*, backends::Stream*);
    const backends::Call* call;
    const backends::Buffer* buffers;
  };
  struct Note {
    ProfiledAs as;
    std::size_t first_buffer;
  };
  std::vector<Step> steps_;
  std::vector<backends::Buffer> buffers_;
  std::vector<Note> notes_;  // [steps_.size()]
};

}  // namespace gdbench::strategies
