// Rules on what the clock measures beside the steps.
#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

namespace {

bool times(const Description& description, ClockItem item) {
  return description.timed && description.timed->contains(item);
}

// What was never run before is traced or compiled by its first step.
bool compiles_in_a_step(const Description& description) {
  return description.compiled && *description.compiled != Compiled::none && description.warm_up_steps == 0;
}

void find_tracing(Finder& finder, Side side) {
  const Description& description = finder.of(side);
  if (compiles_in_a_step(description)) {
    finder.fault(Rule::tracing, "warm_up_steps", side, text_of(*description.compiled) + " without a warm-up step");
  } else if (times(description, ClockItem::tracing)) {
    finder.fault(Rule::tracing, "timed", side, text_of(ClockItem::tracing));
  }
}

void find_clock_items(Finder& finder) {
  if (!finder.both("timed", finder.a.timed, finder.b.timed)) return;
  for (const ClockItem item : {ClockItem::import, ClockItem::data, ClockItem::transfer, ClockItem::evaluation}) {
    const bool by_a = times(finder.a, item);
    if (by_a != times(finder.b, item)) {
      finder.fault(Rule::clock_includes, "timed", by_a ? Side::a : Side::b, text_of(item));
    }
  }
}

void find_warm_up(Finder& finder) {
  const std::optional<std::int64_t>& a = finder.a.warm_up_steps;
  const std::optional<std::int64_t>& b = finder.b.warm_up_steps;
  if (!finder.both("warm_up_steps", a, b) || (*a == 0) == (*b == 0)) return;
  const Side cold = *a == 0 ? Side::a : Side::b;
  if (!compiles_in_a_step(finder.of(cold))) finder.fault(Rule::no_warm_up, "warm_up_steps", cold, "0");
}

}  // namespace

void find_unequal_clocks(Finder& finder) {
  // What is compiled may be the question itself: another mode is no inequality.
  finder.both("compiled", finder.a.compiled, finder.b.compiled);
  for (const Side side : kSides) find_tracing(finder, side);
  find_clock_items(finder);
  find_warm_up(finder);
}

}  // namespace gdbench::fairness
