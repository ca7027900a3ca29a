// The parts of an explanation's text. Each sentence ends with its evidence in brackets and a line feed; a part begins
// with an empty line, or is empty where there is nothing to say.
#pragma once

#include <string>

#include "harness/report/explanation.h"
#include "reports/render/explanation.h"
#include "reports/render/table.h"

namespace gdbench::render {

// " [text]" and a line feed.
std::string evidence(const std::string& text);

// Which part of the difference are calls into frameworks, and which part is not.
// The largest ops of each cell whose framework was asked for them.
std::string largest_ops_words(const report::Explanation& explanation, const Names& names);
std::string calls_words(const report::Explanation& explanation, const Names& names);
// All phases with their shares, the largest first, and the ops of those that are causes; wrapped.
std::string phases_words(const report::Explanation& explanation, const Names& names, int width);
// These without the phases: what they are of, as the heading of a table; what the shares rest on, and the ops. Without
// profiles, and where they tell of no phase, the heading is empty.
std::string phases_heading(const report::Explanation& explanation);
std::string phases_evidence(const report::Explanation& explanation, const Names& names);
// Each phase's times of both and its share. Of an explanation with profiles.
TextTable phases_table(const report::Explanation& explanation, const Names& names);
// What was not measured, with the commands that measure it; those are not wrapped.
std::string missing_words(const report::Explanation& explanation, const Names& names, int width);
// One of these, without its command.
std::string missing_sentence(const report::Explanation& explanation, const Names& names,
                             const report::MissingEvidence& missing);

}  // namespace gdbench::render
