// The words of judged claims, shared by the console and Markdown.
#pragma once

#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"

namespace gdbench::render {

// "4 claims: 2 confirmed, 1 refuted, 1 not run".
std::string claim_counts_words(const std::vector<report::ClaimJudgement>& judgements);

// Whether anything of the claim was measured.
bool has_figures(const report::ClaimJudgement& judgement);

// What the verdict rests on, in a line: a figure with its interval, where it was measured, and where it flips; or why
// there is none and what it would take.
std::string verdict_words(const report::ClaimJudgement& judgement);

// "time of a step, x/y over x/z: at least 6x, everywhere".
std::string relation_words(const report::ClaimRelation& relation);

// "2.10x [1.90, 2.40]"; a saving "40% [38, 42]"; a count has no interval. Empty where a point was not run.
std::string figure_words(const report::ClaimRelation& relation, const report::JudgedPoint& point);

// A table of the relation's points: the titles, and a row each. No titles where none of them was run.
struct PointTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};
PointTable point_table(const report::JudgedRelation& relation);

// "flips between batch=32, where it holds, and batch=256, where it does not".
std::vector<std::string> flip_sentences(const report::JudgedRelation& relation);

// Each reason once, with the number of points that it kept from being run.
std::vector<std::string> reasons_not_run(const report::JudgedRelation& relation);

// What figures and verdicts mean.
std::vector<std::string> claim_legend();

}  // namespace gdbench::render
