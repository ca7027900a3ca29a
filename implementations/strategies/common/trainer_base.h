// What strategies have in common whatever a step is: the session, the parameters and the count of steps.
#pragma once

#include <cstdint>

#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/session.h"
#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies {

// The option by which a strategy that calls the kernels one by one updates parameters: see TrainerBase::add_update.
constexpr gdbench_option kUpdateOption = {
    "update", GDBENCH_OPTION_CHOICE, 0,
    "merged", "merged|each",         "the optimizer's update: one call for all parameters, or a call for each of them"};

class TrainerBase : public Strategy {
 public:
  explicit TrainerBase(const Setup& setup);
  void set_state(const gdbench_state& state) override;
  void get_state(gdbench_state& state) override;
  void sync() override { session_.synchronise(); }
  std::int32_t helper_threads() const override { return 0; }

  // What the calls of a step are made with.
  const gdbench_data& data() const { return setup_.data; }
  const gdbench_problem& problem() const { return setup_.problem; }
  Session& session() { return session_; }
  Parameters& parameters() { return parameters_; }
  // Appends the update of all parameters: one call, or one for each where the option `update` says so.
  void add_update(Program& program);

 protected:
  std::int64_t step_ = 0;

 private:
  const Setup setup_;
  Session session_;
  Parameters parameters_;
  const bool update_each_;
};

}  // namespace gdbench::strategies
