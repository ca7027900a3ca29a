// An explanation in words: short sentences, each with its figure and, in brackets, the cells it rests on.
#pragma once

#include <string>

#include "harness/report/explanation.h"

namespace gdbench::render {

// Lines longer than `width` are wrapped; 0 leaves each sentence on its line.
std::string explanation_words(const report::Explanation& explanation, int width);

// A cell's id without its scenario.
std::string short_id(const std::string& label, const std::string& id);

// "optimizer=adam,batch=64" of "mlp-10-50-1[optimizer=adam,batch=64]"; empty without overrides.
std::string overrides_of(const std::string& label);

}  // namespace gdbench::render
