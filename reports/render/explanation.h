// An explanation in words: short sentences, each with its figure and, in brackets, the cells it rests on.
#pragma once

#include <string>

#include "harness/result/explanation.h"

namespace gdbench::render {

std::string explanation_words(const result::Explanation& explanation);

}  // namespace gdbench::render
