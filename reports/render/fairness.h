// Whether two timed trainings were compared fairly, in words.
#pragma once

#include "harness/questions/fairness/comparison.h"
#include "reports/document/document.h"

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

// "Fair", or what to mend first; what is unequal with what it does to the result, the worst first; what is not known.
document::Document document_of(const fairness::Comparison& comparison);

}  // namespace gdbench::render
