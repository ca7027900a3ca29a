// How ranks, the processes that train one model together (gdbench_ranks), add up their gradients: as calls among those
// of a step, which are bound ahead, run and profiled like a backend's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "gdbench/plugin.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/program.h"

namespace gdbench::strategies {

// The values of kExchangeOption.
enum class ExchangeKind {
  flat,       // all gradients at once, behind the backward pass
  overlapped  // those of a layer as soon as they are complete, while those of the layers before it are computed
};

// The option of every implementation that trains as one of several ranks.
constexpr gdbench_option kExchangeOption = {"exchange",
                                            GDBENCH_OPTION_CHOICE,
                                            0,
                                            "flat",
                                            "flat|overlapped",
                                            "when the ranks' gradients are added up: all at once after the backward "
                                            "pass, or layer by layer while it goes on"};

class Exchange {
 public:
  // Of the gradients in `parameters`, for steps of the rank that `settings` name; the only one exchanges nothing. All
  // arguments outlive this. Throws Failure (GDBENCH_UNSUPPORTED) where gradients do not lie in the host's memory.
  Exchange(const Session& session, const Parameters& parameters, const gdbench_problem& problem,
           const gdbench_settings& settings);
  Exchange(const Exchange&) = delete;  // programs refer to its calls
  Exchange& operator=(const Exchange&) = delete;

  bool overlaps() const { return kind_ == ExchangeKind::overlapped && ranks_.count > 1; }

  // Where it overlaps: appends the call that begins the exchange of a layer's gradients. To be called once a step for
  // each layer, from the last one to the first, when they are complete.
  void add_layer(Program& program, std::int64_t layer);
  // What a step without rows has in place of its passes: gradients that are zero, as if it had computed them.
  void add_no_rows(Program& program);
  // Behind all passes. Then the gradients are those of all ranks' rows.
  void add_end(Program& program);

 private:
  struct Call : backends::Call {
    const gdbench_ranks* ranks = nullptr;
    std::int64_t count = 0;
    std::int32_t dtype = 0;
    std::size_t bytes = 0;
  };
  // Some of the block of gradients.
  struct Entries {
    std::int64_t first = 0;
    std::int64_t count = 0;
    ModelPart part;
  };
  Entries all() const { return {0, parameters_.block_size(), whole_model(problem_)}; }
  Entries of_layer(std::int64_t layer) const;
  // A call whose one buffer holds `entries`, each of which it reads and writes `passes` times.
  void append(Program& program, decltype(Call::run) run, const char* op, catalogue::Phase phase, int passes,
              Entries entries);

  const Session& session_;
  const Parameters& parameters_;
  const gdbench_problem& problem_;
  const gdbench_ranks& ranks_;
  ExchangeKind kind_;
  catalogue::Dtype dtype_;  // of gradients
  std::deque<Call> calls_;
};

}  // namespace gdbench::strategies
