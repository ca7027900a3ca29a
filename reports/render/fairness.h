// Whether two timed trainings were compared fairly, in words.
#pragma once

#include <string>

#include "harness/questions/fairness/comparison.h"

namespace gdbench::render {

// What a rule of fairness says. In the texts {A} and {B} are the names of the sides, {a} and {b} their values, {side}
// is whose fault it is, {other} the other one, {value} the side's value, {key} the key, {ratio} and {times} A's figure
// over B's (times: at least 1), {rate} the learning rate for B. What stands in [] is left out where one of these is not
// known.

struct FairnessSentence {
  const char* what = "";
  const char* effect = "";
  const char* mend = "";
};

const FairnessSentence& fairness_sentence(fairness::Rule rule);

// What is unequal with what it does to the result, the worst first; what is not known; at last one line that says
// "Fair" or what to mend first. Lines longer than `width` are wrapped; 0 leaves each sentence on its line.
std::string fairness_words(const fairness::Comparison& comparison, int width);

}  // namespace gdbench::render
