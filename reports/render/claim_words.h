// Judged claims in words and tables, for every renderer of them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/claim_judgement.h"
#include "reports/render/format.h"

namespace gdbench::render {

// "4 claims: 2 confirmed, 1 refuted, 1 not run".
std::string claim_counts_words(const std::vector<report::ClaimJudgement>& judgements);

// Whether anything of the claim was measured, or of one of its relations.
bool has_figures(const report::ClaimJudgement& judgement);
bool was_run(const report::JudgedRelation& relation);

// "2.10x [1.90, 2.40]"; a saving "40% [38, 42]"; a count has no interval. Empty where a point was not run.
std::string figure_words(const report::ClaimRelation& relation, const report::JudgedPoint& point);

// "time of a step, x/y over x/z: at least 6x, everywhere".
std::string relation_words(const report::ClaimRelation& relation);

// "at least 6x", "from 10% to 20%"; empty where the relation has no limit.
std::string limits_words(const report::ClaimRelation& relation);

// "batch=1, rows=30".
std::string place_words(const report::Settings& at);

// What the verdict rests on, in a line: a figure with its interval, where it was measured, where it flips, and what is
// faster; or why there is none and what it would take.
std::string verdict_words(const report::ClaimJudgement& judgement);

// The relation's points, a row each; empty where none of them was run.
PlainTable point_table(const report::JudgedRelation& relation);

// "Flips between batch=32, where it holds, and batch=256, where it does not."; then each reason why points were not
// run, once, with their number.
std::vector<std::string> sentences_about(const report::JudgedRelation& relation);

// What figures and verdicts mean.
std::vector<std::string> claim_legend();

}  // namespace gdbench::render
