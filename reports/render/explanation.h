// An explanation in words: short sentences, each with its figure and, in brackets, the cells it rests on.
#pragma once

#include <string>

#include "harness/report/explanation.h"

namespace gdbench::render {

// Lines longer than `width` are wrapped; 0 leaves each sentence on its line.
std::string explanation_words(const report::Explanation& explanation, int width);

}  // namespace gdbench::render
