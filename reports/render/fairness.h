// Whether two timed trainings were compared fairly, in words.
#pragma once

#include <string>

#include "harness/questions/fairness/comparison.h"

namespace gdbench::render {

// What is unequal with what it does to the result, the worst first; what is not known; at last one line that says
// "Fair" or what to mend first. Lines longer than `width` are wrapped; 0 leaves each sentence on its line.
std::string fairness_words(const fairness::Comparison& comparison, int width);

}  // namespace gdbench::render
