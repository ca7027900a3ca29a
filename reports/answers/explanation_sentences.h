// The sentences of an explanation: each has its figure and, in brackets, the cells it rests on.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// What the two cells are called below the heading: ids without what the heading has.
struct Names {
  std::string heading;
  std::string a;
  std::string b;

  std::string of(const report::Explanation& explanation, const std::string& id) const;  // of any cell's id
  std::string both() const { return a + ", " + b; }
};
Names names_of(const report::Explanation& explanation);

using Sentences = std::vector<std::string>;

// Adds the sentence, if there is one, with what it rests on: "A is faster. [a 2 us, b 3 us]".
void add_sentence(Sentences& sentences, const std::string& words, const std::string& evidence);

// Each is empty where there is nothing to say.

// Which one is faster and by how much, what the scenarios differ in, and the way to a target.
Sentences verdict_sentences(const report::Explanation& explanation, const Names& names);
// What the parts between the two cost, one axis after the other.
Sentences path_sentences(const report::Explanation& explanation, const Names& names, const report::AxisPath& path);
Sentences ceiling_sentences(const report::Explanation& explanation, const Names& names);
// What happens once, and from which step on one is ahead.
Sentences start_sentences(const report::Explanation& explanation, const Names& names);
Sentences advice_sentences(const report::Explanation& explanation, const Names& names);
// Where a script's steps take another time.
Sentences script_sentences(const report::Explanation& explanation, const Names& names);

// From profiles.

// Which part of the difference are calls into frameworks, and which part is not.
Sentences call_sentences(const report::Explanation& explanation, const Names& names);
// The largest ops of each cell whose framework was asked for them.
Sentences largest_op_sentences(const report::Explanation& explanation, const Names& names);
// Whether profiles say of any phase that it is a part of the difference.
bool says_phases(const report::Explanation& explanation);
// "Of the difference, update is 48% [44, 55], backward 34% [30, 39].": the phases that are surely a part, the largest
// first, with their names; empty where there are none.
std::string largest_phases(const report::Explanation& explanation, const Names& names);
// Each phase's times of both and its share. Of an explanation with profiles.
document::Columns phases_table(const report::Explanation& explanation, const Names& names);
// What the shares rest on, and the ops of phases that are causes.
Sentences phase_sentences(const report::Explanation& explanation, const Names& names);
Sentences op_sentences(const report::Explanation& explanation, const Names& names);
// Without the command that measures it.
std::string missing_sentence(const report::Explanation& explanation, const Names& names,
                             const report::MissingEvidence& missing);

}  // namespace gdbench::answers
