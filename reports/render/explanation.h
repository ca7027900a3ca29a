// An explanation in words: short sentences, each with its figure and, in brackets, the cells it rests on.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::render {

// What the two cells are called below the heading: ids without what the heading has.
struct Names {
  std::string heading;
  std::string a;
  std::string b;

  std::string of(const report::Explanation& explanation, const std::string& id) const;  // of any cell's id
};
Names names_of(const report::Explanation& explanation);

// The same sentences in parts; a part is empty where there is nothing to say.
struct ExplanationParts {
  std::vector<std::string> verdict;  // with what the scenarios differ in, and the way to a target
  std::vector<std::string> calls;
  std::vector<std::string> phases;  // what their table rests on, and their ops
  std::vector<std::string> ops;     // the largest of a framework's step
  std::vector<std::string> axes;
  std::vector<std::string> ceilings;
  std::vector<std::string> start;
  std::vector<std::string> advice;
  std::vector<std::string> scripts;  // where a script takes another time
};
ExplanationParts explanation_parts(const report::Explanation& explanation);

// Lines longer than `width` are wrapped; 0 leaves each sentence on its line.
std::string explanation_words(const report::Explanation& explanation, int width);

// A cell's id without its scenario.
std::string short_id(const std::string& label, const std::string& id);

// "optimizer=adam,batch=64" of "mlp-10-50-1[optimizer=adam,batch=64]"; empty without overrides.
std::string overrides_of(const std::string& label);

}  // namespace gdbench::render
